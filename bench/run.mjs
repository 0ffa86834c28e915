// Compares the built service with floors: bare servers that do only the same minimum of work.
// Rounds alternate between the two, so that noise affects both equally.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { documentScenarios, runDocuments } from './documents.mjs';
import { invalidation } from './invalidation.mjs';
import { lookups } from './lookups.mjs';
import { memory } from './memory.mjs';
import { stopAll } from './processes.mjs';
import { serverTable, verdict } from './report.mjs';
import { nodes, workers } from './scale.mjs';
import { scenarios } from './scenarios.mjs';
import { startFloor, startService } from './service.mjs';
import { withUsage } from './usage.mjs';

/** The load generators and nginx, with the Debian package of each. */
const tools = { wrk: 'wrk', h2load: 'nghttp2-client', nginx: 'nginx-light' };
// Debian installs nginx there.
process.env.PATH += ':/usr/sbin';

const tokenNames = scenarios.map(({ name }) => name);
const documentNames = documentScenarios.map(({ name }) => name);
const parts = [memory, lookups, invalidation, workers, nodes];
const names = [...tokenNames, ...documentNames, ...parts.map(({ name }) => name)];

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: names },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    database: { type: 'string', default: 'sqlite' },
    other: { type: 'string' },
  },
});
const roundCount = Number(values.rounds ?? 5);
const roundSeconds = Number(values.seconds ?? 6);
const documentRounds = {
  rounds: Number(values.rounds ?? 3),
  seconds: Number(values.seconds ?? 2),
  database: values.database,
  other: values.other,
};
const warmUpSeconds = Math.min(4, roundSeconds);

/** Returns the exit code. */
async function main() {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-bench-'));
  const cleanUp = async () => {
    await stopAll();
    await rm(folder, { recursive: true, force: true });
  };
  const interrupted = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => resolve(130));
  });
  const measured = measure(folder).then((passed) => (passed ? 0 : 1));
  try {
    return await Promise.race([measured, interrupted]);
  } finally {
    // The measurement was interrupted, so its errors are ignored.
    measured.catch(() => {});
    await cleanUp();
  }
}

/** Returns whether all targets were met. */
async function measure(folder) {
  process.stdout.write(
    `Node ${process.version}, ${availableParallelism()} cores shared by server and load, ` +
      `${roundCount} rounds of ${roundSeconds} s, ` +
      `of documents ${documentRounds.rounds} of ${documentRounds.seconds} s\n`,
  );
  const chosen = scenarios.filter(({ name }) => values.only.includes(name));
  const results = chosen.length === 0 ? [] : await runScenarios(chosen, folder);
  const verdicts = results.map(verdict);
  const tables = results.map(({ name, floor, ours }) => ({ name, servers: [floor, ours] }));
  const documents = documentScenarios.filter(({ name }) => values.only.includes(name));
  if (documents.length > 0) {
    const came = await runDocuments(documents, folder, documentRounds);
    tables.push(...came.results);
    verdicts.push(...came.verdicts);
  }
  if (tables.length > 0) process.stdout.write(`\n${serverTable(tables)}\n`);
  const options = { rounds: roundCount, seconds: roundSeconds, warmUpSeconds };
  for (const part of parts) {
    if (values.only.includes(part.name)) verdicts.push(await part.measure(folder, options));
  }
  for (const { lines } of verdicts) process.stdout.write(`${lines.join('\n')}\n`);
  return verdicts.every(({ passed }) => passed);
}

async function runScenarios(chosen, folder) {
  const service = await startService(folder);
  const floors = {};
  for (const transport of new Set(chosen.map((scenario) => scenario.transport))) {
    floors[transport] = await startFloor({ transport, folder, service });
  }
  const results = [];
  for (const scenario of chosen) {
    const sideOf = ({ name, server, ports }) => ({
      name,
      port: ports[scenario.transport],
      server,
      rounds: [],
      peakBytes: 0,
    });
    const sides = { ours: sideOf(service), floor: sideOf(floors[scenario.transport]) };
    const load = await scenario.createLoad(service, folder, roundSeconds);
    await runRounds(scenario.title, load, sides);
    results.push({ name: scenario.title, targets: scenario.targets, ...sides });
  }
  await stopAll();
  return results;
}

async function runRounds(title, load, { ours, floor }) {
  process.stdout.write(`${title}: ${load.description} `);
  await load.prepareRound?.();
  for (const { port } of [floor, ours]) {
    await load.probe(port);
    await load.run(port, warmUpSeconds);
  }
  for (let round = 0; round < roundCount; round++) {
    await load.prepareRound?.();
    for (const side of [floor, ours]) {
      const run = () => load.run(side.port, roundSeconds);
      side.rounds.push(await withUsage(side.server, run));
      side.server.clearLog();
      process.stdout.write('.');
    }
  }
  for (const side of [floor, ours]) {
    await load.probe(side.port);
    side.peakBytes = side.server.peakBytes();
  }
  process.stdout.write('\n');
}

const unknown = values.only.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`there is no ${unknown.join(', ')}; there are ${names.join(', ')}\n`);
  process.exit(2);
}
const isForDocuments = values.only.some((name) => documentNames.includes(name));
const needed = Object.entries(tools).filter(([tool]) => tool !== 'nginx' || isForDocuments);
const missing = needed.filter(([tool]) => spawnSync(tool, ['--version']).error !== undefined);
if (missing.length > 0) {
  const lines = missing.map(([tool, name]) => `${tool} is missing: apt-get install ${name}\n`);
  process.stderr.write(lines.join(''));
  process.exit(2);
}
process.exit(await main());
