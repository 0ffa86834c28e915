// Measures the built service against floors: bare servers that do the same work with nothing
// around it. Rounds alternate between the two, so that a noisy moment touches both alike.
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { createGrpcLoad } from './loads/h2load.mjs';
import { createHttpLoad } from './loads/wrk.mjs';
import { startServer, stopAll } from './processes.mjs';
import { serverTable, verdict } from './report.mjs';

const roundCount = 5;
const roundSeconds = 6;
const warmUpSeconds = 4;
const scope = 'accounts:read payments:write';
const root = path.resolve(import.meta.dirname, '..');

/** The load generators, by the packages of Debian that bring them. */
const tools = { wrk: 'wrk', h2load: 'nghttp2-client' };

/** The exit code. */
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
    // What is ended under way fails; nobody waits for it any more.
    measured.catch(() => {});
    await cleanUp();
  }
}

/** Tells whether every target was met. */
async function measure(folder) {
  const service = await startService(folder);
  const client = { id: service.env.CLIENT_ID, secret: service.env.CLIENT_SECRET, scope };
  const scenarios = [
    {
      name: 'HTTP',
      load: await createHttpLoad({ folder, client }),
      ours: side('HTTP, Latchkey', service.httpPort, service.server),
      floor: await startFloor({ name: 'http', title: 'HTTP, floor', folder, service, client }),
    },
    {
      name: 'gRPC',
      load: await createGrpcLoad({ folder, client }),
      ours: side('gRPC, Latchkey', service.grpcPort, service.server),
      floor: await startFloor({ name: 'grpc', title: 'gRPC, floor', folder, service, client }),
    },
  ];
  process.stdout.write(
    `Node ${process.version}, ${availableParallelism()} cores shared by server and load, ` +
      `${roundCount} rounds of ${roundSeconds} s\n`,
  );
  for (const scenario of scenarios) await runRounds(scenario);
  return report(scenarios);
}

async function runRounds({ name, load, ours, floor }) {
  process.stdout.write(`${name}: ${load.description} `);
  for (const { port } of [floor, ours]) {
    await load.probe(port);
    await load.run(port, warmUpSeconds);
  }
  for (let round = 0; round < roundCount; round++) {
    for (const one of [floor, ours]) {
      one.rounds.push(await load.run(one.port, roundSeconds));
      one.server.clearLog();
      process.stdout.write('.');
    }
  }
  for (const one of [floor, ours]) {
    await load.probe(one.port);
    one.peakBytes = one.server.peakBytes();
  }
  process.stdout.write('\n');
}

function report(scenarios) {
  const verdicts = scenarios.map(verdict);
  const servers = scenarios.flatMap(({ floor, ours }) => [floor, ours]);
  const lines = verdicts.flatMap(({ lines }) => lines);
  process.stdout.write(`\n${serverTable(servers)}\n\n${lines.join('\n')}\n`);
  return verdicts.every(({ passed }) => passed);
}

function side(name, port, server) {
  return { name, port, server, rounds: [], peakBytes: 0 };
}

/** The service as it is built, on its defaults. */
async function startService(folder) {
  const dataDir = path.join(folder, 'data');
  const server = await startServer({
    script: path.join(root, 'dist/src/main.js'),
    env: {
      LATCHKEY_DATA_DIR: dataDir,
      LATCHKEY_HTTP_ADDRESS: '127.0.0.1:0',
      LATCHKEY_GRPC_ADDRESS: '127.0.0.1:0',
      LATCHKEY_OPS_ADDRESS: '127.0.0.1:0',
    },
    logFile: path.join(folder, 'service.log'),
  });
  const text = await readFile(path.join(dataDir, 'bootstrap.env'), 'utf8');
  const env = Object.fromEntries(
    Array.from(text.matchAll(/^(\w+)='(.*)'$/gm), ([, name, value]) => [name, value]),
  );
  return {
    server,
    env,
    httpPort: new URL(env.LATCHKEY_BASE_URL).port,
    grpcPort: env.LATCHKEY_GRPC_ADDRESS.split(':')[1],
  };
}

async function startFloor({ name, title, folder, service, client }) {
  const settings = {
    file: path.join(folder, `floor-${name}.db`),
    clientId: client.id,
    clientSecret: client.secret,
    issuer: service.env.LATCHKEY_BASE_URL,
  };
  const server = await startServer({
    script: path.join(import.meta.dirname, `floors/${name}.mjs`),
    env: { FLOOR_SETTINGS: JSON.stringify(settings) },
    logFile: path.join(folder, `floor-${name}.log`),
  });
  return side(title, /ready: (\d+)/.exec(server.said)[1], server);
}

const missing = Object.entries(tools).filter(
  ([tool]) => spawnSync(tool, ['--version']).error !== undefined,
);
if (missing.length > 0) {
  const lines = missing.map(([tool, name]) => `${tool} is missing: apt-get install ${name}\n`);
  process.stderr.write(lines.join(''));
  process.exit(2);
}
process.exit(await main());
