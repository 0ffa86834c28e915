// Measures the service with many rows in every table: see bench/README.md, "Growth".
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../postgres.mjs';
import { stopAll } from '../processes.mjs';
import { callsOf } from './calls.mjs';
import { idOf, oldTimeOf, retained } from './fill.mjs';
import { measure, startLoad } from './requests.mjs';
import { sizesOf } from './sizes.mjs';
import { inMiB, inMs, likeProduction, print, startFilled } from './start-filled.mjs';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    part: { type: 'string', multiple: true, default: ['calls', 'removal', 'retention'] },
    rows: { type: 'string', default: '1000000' },
    filter: { type: 'string', default: '' },
  },
});
const rows = Number(values.rows);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function measureCalls(started) {
  const results = new Map();
  for (const [name, work, options] of callsOf(started)) {
    if (!name.includes(values.filter)) continue;
    const result = await measure(work, options).catch((error) => ({ error }));
    if (result.error !== undefined) print(`${name}: ${result.error.message}`);
    else results.set(name, result);
  }
  return results;
}

async function compareCalls(context) {
  const few = await startFilled(context, 'few', { count: 1_000 });
  const before = await measureCalls(few);
  few.client.close();
  await few.service.server.stop();
  const many = await startFilled(context, 'many', { count: rows });
  const after = await measureCalls(many);
  print('| call | p50 of 1,000 rows, ms | p50 of many rows | ratio | p99, p99 of many rows |');
  print('|---|---|---|---|---|');
  for (const [name, { p50, p99 }] of after) {
    const small = before.get(name) ?? { p50: Number.NaN, p99: Number.NaN };
    const ratio = (p50 / small.p50).toFixed(2);
    print(
      `| ${name} | ${inMs(small.p50)} | ${inMs(p50)} | ${ratio} | ` +
        `${inMs(small.p99)}, ${inMs(p99)} |`,
    );
  }
  print(`memory ${inMiB(many.service.server.residentBytes())}`);
  return many;
}

/** A deletion is measured for at most this time. */
const deletionMsMax = 240_000;

/** Requests that read and write, at a fixed rate. */
const load = ({ client, demo }) =>
  startLoad(
    [
      () => client.json('GET', '/api/v1/documents?page_size=10', { token: demo.apiKey }),
      (i) =>
        client.json('GET', `/api/v1/documents/${demo.documentIds[i % 2]}`, { token: demo.apiKey }),
      () =>
        client.json('POST', '/api/v1/links', {
          token: demo.apiKey,
          body: { document_id: demo.documentIds[1] },
        }),
      () =>
        client.json('POST', '/tokens', {
          body: {
            client_id: demo.clientId,
            client_secret: demo.clientSecret,
            scope: 'accounts:read',
          },
        }),
    ],
    100,
  );

const show = (what, { count, p50, p99, max, errors }) =>
  print(
    `${what}: p50 ${inMs(p50)}, p99 ${inMs(p99)}, max ${inMs(max)} ms ` +
      `(${count} requests, ${errors} errors)`,
  );

/** The size of a file of SQLite; 0 with PostgreSQL. */
async function fileBytes(url, suffix = '') {
  if (!url.startsWith('sqlite:')) return 0;
  const file = `${url.slice('sqlite:'.length)}${suffix}`;
  return (await stat(file).catch(() => ({ size: 0 }))).size;
}

/** Measures requests while rows are deleted, until `left` resolves to 0. */
async function measureDeletion(started, traffic, left) {
  let worstWal = 0;
  const begun = performance.now();
  const first = await left();
  for (let rest = first; rest > 0; ) {
    await sleep(3_000);
    worstWal = Math.max(worstWal, await fileBytes(started.url, '-wal'));
    rest = await left();
    show(`${Math.max(0, rest)} rows left, WAL ${inMiB(worstWal)}`, traffic.take());
    if (performance.now() - begun > deletionMsMax) break;
  }
  const seconds = (performance.now() - begun) / 1000;
  const deleted = first - Math.max(0, await left());
  print(`deleted ${deleted} of ${first} rows in ${inMs(seconds)} s`);
  show('while rows were deleted', traffic.takeAll());
}

async function countRows(url, tables) {
  const { openDatabase } = await import('../../src/storage/database.ts');
  const db = await openDatabase(url);
  let sum = 0;
  for (const table of tables) {
    const query = db.selectFrom(table).select((eb) => eb.fn.countAll().as('rows'));
    sum += Number((await query.executeTakeFirstOrThrow()).rows);
  }
  await db.destroy();
  return sum;
}

/** Estimates how many old rows are left, by the oldest time of each table. Counting is slow. */
async function countOldRows({ url, now, count }) {
  const { openDatabase } = await import('../../src/storage/database.ts');
  const db = await openDatabase(url);
  let sum = 0;
  for (const [table, column] of Object.entries(retained)) {
    const query = db.selectFrom(table).select((eb) => eb.fn.min(column).as('oldest'));
    const { oldest } = await query.executeTakeFirstOrThrow();
    const deleted = Number(oldest ?? now) - oldTimeOf({ now }) - 1;
    sum += Math.max(0, count - deleted);
  }
  await db.destroy();
  return sum;
}

async function measureRemoval(started) {
  const { client, demo, url, tokens } = started;
  const watched = idOf('doc', 2);
  demo.documentIds = [idOf('doc', 6), idOf('doc', 10)];
  const traffic = load(started);
  await sleep(4_000);
  show('before', traffic.take());
  traffic.takeAll();
  const before = await client.json('GET', `/workspaces/${demo.workspaceId}`, {
    token: tokens.staff,
  });
  const begun = performance.now();
  await client.json('DELETE', `/api/v1/documents/${watched}`, { token: demo.apiKey });
  print(`the document with ${rows / 2} views was deleted in ${inMs(performance.now() - begun)} ms`);
  const after = await client.json('GET', `/workspaces/${demo.workspaceId}`, {
    token: tokens.staff,
  });
  print(`usage ${JSON.stringify(before.usage)} -> ${JSON.stringify(after.usage)}`);
  const target = (await countRows(url, ['views', 'view_pages'])) - rows;
  await measureDeletion(
    started,
    traffic,
    async () => (await countRows(url, ['views', 'view_pages'])) - target,
  );
  await traffic.stop();
}

/** Starts the requests, to the documents of the demo. */
async function startTraffic(started) {
  const { client, demo } = started;
  const { documents } = await client.json('GET', '/api/v1/documents', { token: demo.apiKey });
  demo.documentIds = [documents[0].id, documents[0].id];
  return load(started);
}

async function measureWithoutRetention(context) {
  const started = await startFilled(context, 'new', { count: 1_000, tables: [] });
  const traffic = await startTraffic(started);
  await sleep(5_000);
  traffic.take();
  await sleep(15_000);
  show('without rows to delete', traffic.take());
  await traffic.stop();
  started.client.close();
  await started.service.server.stop();
}

async function measureRetention(context) {
  const tables = Object.keys(retained);
  await measureWithoutRetention(context);
  const started = await startFilled(context, 'old', { count: rows, isOld: true, tables });
  const { url, client } = started;
  const before = await fileBytes(url);
  const traffic = await startTraffic(started);
  await measureDeletion(started, traffic, () => countOldRows(started));
  await traffic.stop();
  if (before > 0) print(`file ${inMiB(before)} -> ${inMiB(await fileBytes(url))}`);
  print(`memory ${inMiB(started.service.server.residentBytes())}`);
  client.close();
  await started.service.server.stop();
}

async function measureAll(context) {
  const { part } = values;
  if (part.includes('calls') || part.includes('removal')) {
    const many = part.includes('calls')
      ? await compareCalls(context)
      : await startFilled(context, 'many', { count: rows });
    for (const { name, bytes } of await sizesOf(many.url)) {
      if (bytes / rows > 20) print(`${name}: ${Math.round(bytes / rows)} bytes per row`);
    }
    if (part.includes('removal')) await measureRemoval(many);
    many.client.close();
    await many.service.server.stop();
  }
  if (part.includes('retention')) await measureRetention(context);
}

/** Returns the exit code. */
async function main() {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-growth-'));
  const postgres = values.database === 'postgres' ? await startPostgres(likeProduction) : undefined;
  const interrupted = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => resolve(130));
  });
  const measured = measureAll({ folder, postgres }).then(() => 0);
  try {
    return await Promise.race([measured, interrupted]);
  } finally {
    // The measurement was interrupted, so its errors are ignored.
    measured.catch(() => {});
    await stopAll();
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

process.exit(await main());
