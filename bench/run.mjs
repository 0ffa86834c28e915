// Compares the built service with floors: bare servers that do only the same minimum of work.
// Rounds alternate between the two, so that noise affects both equally.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { documentScenarios, runDocuments } from './documents.mjs';
import { grants } from './grants.mjs';
import { invalidation } from './invalidation.mjs';
import { lookups } from './lookups.mjs';
import { memory } from './memory.mjs';
import { installPeers, peers } from './peers.mjs';
import { stopAll } from './processes.mjs';
import { serverTable } from './report.mjs';
import { nodes, workers } from './scale.mjs';
import { scenarios } from './scenarios.mjs';
import { start } from './start.mjs';
import { runTokens } from './tokens.mjs';

/** The load generators and other programs, with the Debian package of each. */
const tools = {
  wrk: 'wrk',
  h2load: 'nghttp2-client',
  nginx: 'nginx-light',
  openssl: 'openssl',
};
// Debian installs nginx there.
process.env.PATH += ':/usr/sbin';

const tokenNames = scenarios.map(({ name }) => name);
const documentNames = documentScenarios.map(({ name }) => name);
const parts = [grants, memory, lookups, invalidation, workers, nodes, peers, start];
const names = [...tokenNames, ...documentNames, ...parts.map(({ name }) => name)];

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: names },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    database: { type: 'string', default: 'sqlite' },
    other: { type: 'string' },
    profile: { type: 'boolean', default: false },
  },
});
const { database, profile } = values;
const other = values.other && path.resolve(values.other);
/** `rounds` and `seconds` are the defaults of a part. */
function roundsOf({ rounds, seconds }) {
  const chosen = {
    rounds: Number(values.rounds ?? rounds),
    seconds: Number(values.seconds ?? seconds),
  };
  return { ...chosen, warmUpSeconds: Math.min(4, chosen.seconds) };
}
const tokenDefaults = { rounds: 5, seconds: 6 };
const tokenRounds = { ...roundsOf(tokenDefaults), other, profile };
const documentRounds = { ...roundsOf({ rounds: 3, seconds: 2 }), other, database };

const partOptions = ({ defaults }) => ({ ...roundsOf(defaults ?? tokenDefaults), other });

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
      `${tokenRounds.rounds} rounds of ${tokenRounds.seconds} s, ` +
      `of documents ${documentRounds.rounds} of ${documentRounds.seconds} s\n`,
  );
  const isChosen = ({ name }) => values.only.includes(name);
  const tokens = scenarios.filter(isChosen);
  const documents = documentScenarios.filter(isChosen);
  const measured = [
    ...(tokens.length === 0 ? [] : [await runTokens(tokens, folder, tokenRounds)]),
    ...(documents.length === 0 ? [] : [await runDocuments(documents, folder, documentRounds)]),
  ];
  const results = measured.flatMap((one) => one.results);
  const verdicts = measured.flatMap((one) => one.verdicts);
  if (results.length > 0) process.stdout.write(`\n${serverTable(results)}\n`);
  for (const part of parts) {
    if (values.only.includes(part.name))
      verdicts.push(await part.measure(folder, partOptions(part)));
  }
  for (const { lines } of verdicts) process.stdout.write(`${lines.join('\n')}\n`);
  return verdicts.every(({ passed }) => passed);
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
if (values.only.includes(peers.name) && !(await installPeers())) {
  process.stderr.write('npm ci failed in bench/peers\n');
  process.exit(2);
}
process.exit(await main());
