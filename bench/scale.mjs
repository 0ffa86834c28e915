// Compares one worker with two workers of a node, and one node with two nodes, on PostgreSQL.
import { loads, startDeployment } from './deployments.mjs';
import { startPostgres } from './postgres.mjs';
import { stopAll } from './processes.mjs';
import { errorsOf, medianOf, serverTable, verdictOf } from './report.mjs';
import { withUsage } from './usage.mjs';

const throughputMin = 1.7;
const cores = 2;
const sum = (numbers) => numbers.reduce((total, x) => total + x, 0);

/** For `nodes`, each load generator uses one node. */
export const workers = createPart('workers', [
  { name: '1-worker', nodes: 1, workers: 1, generators: 1 },
  { name: '2-workers', nodes: 1, workers: 2, generators: 1 },
]);
export const nodes = createPart('nodes', [
  { name: '1-node', nodes: 1, workers: 1, generators: 2 },
  { name: '2-nodes', nodes: 2, workers: 1, generators: 2 },
]);

function createPart(name, deployments) {
  return {
    name,
    async measure(parent, options) {
      const postgres = await startPostgres();
      try {
        const sides = [];
        for (const one of deployments) {
          sides.push(await startDeployment(parent, { ...one, postgres }));
        }
        return await compare(name, sides, options);
      } finally {
        await stopAll();
        await postgres.stop();
      }
    },
  };
}

async function compare(part, sides, options) {
  const results = [];
  for (const [name, load] of Object.entries(loads)) {
    process.stdout.write(`${part}, ${name} `);
    results.push({ name, servers: await runRounds(load, sides, options) });
    process.stdout.write('\n');
  }
  process.stdout.write(`\n${serverTable(results)}\n`);
  const verdicts = results.map(({ name, servers }) => verdictFor(`${part}, ${name}`, servers));
  return {
    lines: verdicts.flatMap(({ lines }) => lines),
    passed: verdicts.every(({ passed }) => passed),
  };
}

async function runRounds({ transport, create }, sides, { rounds, seconds, warmUpSeconds }) {
  const running = [];
  for (const { name, folder, service, ports, server } of sides) {
    const load = await create(service, folder);
    const at = ports.map((one) => one[transport]);
    for (const port of new Set(at)) await load.probe(port);
    const run = (seconds) => runAll(load, at, seconds);
    await run(warmUpSeconds);
    running.push({ name, server, run, rounds: [], peakBytes: 0 });
  }
  for (let round = 0; round < rounds; round++) {
    for (const { server, run, rounds } of running) {
      rounds.push(await withUsage(server, () => run(seconds)));
      server.clearLog();
      process.stdout.write('.');
    }
  }
  return running.map(({ name, server, rounds }) => ({
    name,
    rounds,
    peakBytes: server.peakBytes(),
  }));
}

/** Runs one load generator for each port. Together they have the connections of one. */
async function runAll(load, ports, seconds) {
  const connections = load.connections / ports.length;
  const runs = await Promise.all(ports.map((port) => load.run(port, seconds, connections)));
  const all = (key) => runs.map((run) => run[key]);
  return {
    requests: sum(all('requests')),
    requestsPerSecond: sum(all('requestsPerSecond')),
    p50Ms: Math.max(...all('p50Ms')),
    p99Ms: Math.max(...all('p99Ms')),
    errors: sum(all('errors')),
  };
}

function verdictFor(name, [one, two]) {
  const throughput =
    medianOf(two.rounds, 'requestsPerSecond') / medianOf(one.rounds, 'requestsPerSecond');
  const errors = errorsOf(one.rounds) + errorsOf(two.rounds);
  const allowed = perSecond(two.rounds, cores) / perSecond(one.rounds, cores);
  const allowedByMain = perSecond(two.rounds) / perSecond(one.rounds);
  const passed = throughput >= throughputMin;
  const reason = reasonFor(one, two, allowed);
  const { lines } = verdictOf(name, [
    {
      passed,
      text:
        `throughput ${throughput.toFixed(2)} times (target >= ${throughputMin})` +
        `${passed ? '' : `: ${reason}`}`,
    },
    { passed: errors === 0, text: `${errors} errors (target 0)` },
  ]);
  return {
    passed: passed && errors === 0,
    lines: [
      ...lines,
      `        cores used with ${one.name}: ${coresOf(one.rounds)}`,
      `        cores used with ${two.name}: ${coresOf(two.rounds)}`,
      `        with ${cores} cores for the service alone: ${allowed.toFixed(2)} times; ` +
        `with more cores: ${allowedByMain.toFixed(2)} times`,
    ],
  };
}

function reasonFor(one, two, allowed) {
  const used = medianOf(one.rounds, 'cpuMicros') / medianOf(one.rounds, 'busiestMicros');
  if (allowed < throughputMin) {
    return `with ${one.name}, ${used.toFixed(2)} cores are busy when the main thread is`;
  }
  const { server, others } = middleCores(two.rounds);
  if (others > 0.1) return `other programs used ${others.toFixed(2)} cores`;
  return `the load generator and PostgreSQL left ${server.toFixed(2)} cores to the service`;
}

/**
 * The requests per second that the processor time allows: no main thread uses more than a core, and
 * the service no more than `cores`.
 */
function perSecond(rounds, cores = Number.POSITIVE_INFINITY) {
  const total = medianOf(rounds, 'cpuMicros') / cores;
  return 1e6 / Math.max(total, medianOf(rounds, 'busiestMicros'));
}

/** The cores that each program used: the median of the rounds. */
function middleCores(rounds) {
  const all = rounds.map(({ cores }) => cores);
  const of = (who) => medianOf(all, who);
  return { server: of('server'), load: of('load'), postgres: of('postgres'), others: of('others') };
}

function coresOf(rounds) {
  const { server, load, postgres, others } = middleCores(rounds);
  return (
    `service ${server.toFixed(2)}, load generator ${load.toFixed(2)}, ` +
    `PostgreSQL ${postgres.toFixed(2)}, other programs ${others.toFixed(2)}`
  );
}
