// Workers that end, stop answering, or have too many connections.
import { rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { stoppedInstallation } from '../support/harness.ts';
import { newDataDir, spawnProgram, startProgram } from '../support/program.ts';
import {
  allReady,
  isAlive,
  logOf,
  readyz,
  requestKeys,
  startNode,
  suspend,
  workersOf,
} from '../support/worker-node.ts';

/** A module that ends each worker at its start while the file `broken` exists. */
async function breakable(dataDir: string): Promise<Record<string, string>> {
  const file = path.join(dataDir, 'break.cjs');
  const condition = `require('node:fs').existsSync('${dataDir}/broken')`;
  const isWorker = "process.argv[1].endsWith('workers/program.js')";
  await writeFile(file, `if (${isWorker} && ${condition}) process.exit(7);\n`);
  return { LATCHKEY_WORKERS: '2', NODE_OPTIONS: `--require ${file}` };
}

test('the node ends with status 1 if no worker can start', async () => {
  const dataDir = await newDataDir();
  const env = await breakable(dataDir);
  await writeFile(path.join(dataDir, 'broken'), '');

  const program = await spawnProgram(env, dataDir);
  onTestFinished(() => program.remove());

  expect(await program.ended).toBe(1);
  expect(program.stderr()).toContain('no worker could start');
});

test('the node reports why the first worker could not start', async () => {
  const dataDir = await stoppedInstallation();
  const key = { LATCHKEY_MASTER_KEY: 'ab'.repeat(32) };

  const program = await spawnProgram({ LATCHKEY_WORKERS: '2', ...key }, dataDir);
  onTestFinished(() => program.remove());

  expect(await program.ended).toBe(1);
  expect(program.stderr()).toMatch(/^Latchkey cannot start: no worker could start: .*master key/);
});

test('workers that end repeatedly are replaced after growing pauses', async () => {
  const dataDir = await newDataDir();
  const program = await startProgram(await breakable(dataDir), dataDir);
  onTestFinished(() => program.remove());
  const ends = () => logOf(program).filter(({ msg }) => msg === 'a worker has ended');
  const [killed = 0] = await workersOf(program);

  await writeFile(path.join(dataDir, 'broken'), '');
  process.kill(killed, 'SIGKILL');
  await expect.poll(() => ends().length, { timeout: 30_000 }).toBe(6);

  const times = ends().map(({ time }) => Date.parse(String(time)));
  // The node starts as many as it has workers without a pause.
  for (const [i, pauseMs] of [0, 0, 100, 200, 400].entries()) {
    expect((times[i + 1] ?? 0) - (times[i] ?? 0)).toBeGreaterThanOrEqual(pauseMs);
  }
  expect(ends().at(-1)).toMatchObject({ exit_code: 7, signal: null });
  await rm(path.join(dataDir, 'broken'));
  await expect.poll(() => readyz(program), { timeout: 30_000 }).toMatchObject(allReady);
}, 90_000);

test('a node without a worker does not wait long to replace workers', async () => {
  const node = await startNode('sqlite');

  // The last pause would be longer than ten seconds while another worker serves.
  for (let round = 0; round < 5; round++) {
    await expect.poll(() => readyz(node), { timeout: 30_000 }).toMatchObject(allReady);
    const killed = await workersOf(node);
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    const replaced = async () => (await workersOf(node)).filter((pid) => !killed.includes(pid));
    await expect.poll(replaced, { timeout: 5_000 }).toHaveLength(2);
  }
}, 120_000);

test('a new worker uses the secrets that the primary has read from files', async () => {
  const folder = await newDataDir();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'master-key');
  await writeFile(file, 'ab'.repeat(32));
  const node = await startNode('sqlite', { LATCHKEY_MASTER_KEY_FILE: file });
  const [killed = 0] = await workersOf(node);

  await writeFile(file, 'cd'.repeat(32));
  process.kill(killed, 'SIGKILL');

  await expect.poll(() => workersOf(node)).not.toContain(killed);
  await expect.poll(() => readyz(node), { timeout: 20_000 }).toMatchObject(allReady);
}, 60_000);

test('connections use the other worker while one is suspended and after it is killed', async () => {
  const node = await startNode('sqlite');
  const [suspended = 0] = await workersOf(node);
  await suspend(suspended);

  const before = Array.from({ length: 4 }, () => requestKeys(node));
  expect(await Promise.all(before)).toEqual([200, 200, 200, 200]);

  const during = Array.from({ length: 4 }, () => requestKeys(node));
  process.kill(suspended, 'SIGKILL');
  expect(await Promise.all(during)).toEqual([200, 200, 200, 200]);
});

test('/readyz names a worker that does not answer, within seconds', async () => {
  const node = await startNode('sqlite');
  const [suspended = 0] = await workersOf(node);
  await suspend(suspended);

  const timed = async () => {
    const startTime = performance.now();
    const { workers } = (await readyz(node)) as { workers: unknown };
    return { workers, isSoon: performance.now() - startTime < 2_000 };
  };

  const workers = { ready: 1, total: 2, unresponsive: [suspended] };
  await expect.poll(timed).toEqual({ workers, isSoon: true });
});

/** Returns a command line for a node that replaces a worker after five seconds without answers. */
async function impatient(dataDir: string): Promise<string[]> {
  const root = path.resolve(import.meta.dirname, '../..');
  const src = pathToFileURL(path.join(root, 'src')).href;
  const file = path.join(dataDir, 'primary.mjs');
  const text = `
    import cluster from 'node:cluster';
    import { readConfig } from '${src}/base/config/config.ts';
    import { createLog } from '${src}/observe/log.ts';
    import { startPrimary } from '${src}/boot/workers/primary.ts';
    const webDir = ${JSON.stringify(path.join(root, 'dist/web'))};
    const log = createLog({ level: 'info' });
    // The workers run the built program.
    cluster.setupPrimary({ execArgv: [] });
    const settings = process.env;
    const options = { settings, workers: 2, workerHungMs: 5_000, logFormat: 'json', webDir };
    await startPrimary({ config: readConfig(process.env), ...log, ...options });
    process.stderr.write('operations');`;
  await writeFile(file, text);
  return ['/bin/sh', '-c', `exec "$0" --import ${import.meta.resolve('tsx')} ${file}`];
}

test('a worker that has not answered for five seconds is replaced', async () => {
  const dataDir = await newDataDir();
  const node = await startProgram({}, dataDir, await impatient(dataDir));
  onTestFinished(() => node.remove());
  const [suspended = 0] = await workersOf(node);
  await suspend(suspended);

  await expect.poll(() => workersOf(node), { timeout: 30_000 }).not.toContain(suspended);

  const entry = { worker: suspended, msg: 'a worker does not answer and is killed' };
  await expect.poll(() => logOf(node)).toContainEqual(expect.objectContaining(entry));
  await expect.poll(() => readyz(node), { timeout: 30_000 }).toMatchObject(allReady);
}, 90_000);

test('a stop also ends a worker that does not answer', async () => {
  const node = await startNode('sqlite');
  const [suspended = 0] = await workersOf(node);
  await suspend(suspended);

  node.child.kill('SIGTERM');

  expect(await node.ended).toBe(0);
  expect(isAlive(suspended)).toBe(false);
});

/** A module that limits each server of a worker to two connections. */
async function limited(dataDir: string): Promise<Record<string, string>> {
  const file = path.join(dataDir, 'limit.cjs');
  const limit =
    "Object.defineProperty(net.Server.prototype, 'maxConnections', { get: () => 2, set() {} });";
  const isWorker = "process.argv[1].endsWith('workers/program.js')";
  await writeFile(file, `const net = require('node:net');\nif (${isWorker}) ${limit}\n`);
  return { LATCHKEY_WORKERS: '2', NODE_OPTIONS: `--require ${file}` };
}

test('a connection beyond the limit of its worker is closed at once', async () => {
  const dataDir = await newDataDir();
  const node = await startProgram(await limited(dataDir), dataDir);
  onTestFinished(() => node.remove());
  const sockets: Socket[] = [];
  const ends = Array.from({ length: 8 }, () => {
    const socket = connect(node.httpPort, '127.0.0.1');
    sockets.push(socket);
    socket.write('GET /.well-known/jwks.json HTTP/1.1\r\nhost: a\r\n\r\n');
    return new Promise<string>((resolve) => {
      socket.once('data', () => resolve('answered')).on('error', () => resolve('closed'));
      socket.once('close', () => resolve('closed'));
    });
  });

  const answered = (await Promise.all(ends)).filter((end) => end === 'answered');

  expect(answered.length).toBeGreaterThanOrEqual(2);
  expect(answered.length).toBeLessThanOrEqual(4);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => requestKeys(node).catch(() => 'closed')).toBe(200);
});
