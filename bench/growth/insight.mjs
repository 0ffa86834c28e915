// Measures lists, searches, insight and CSV files of a large workspace, and the migration of its
// database: see bench/README.md, "Readers of 100,000 views".
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { startPostgres } from '../postgres.mjs';
import { stopAll } from '../processes.mjs';
import { fill, idOf } from './fill.mjs';
import { measure } from './requests.mjs';
import { inMiB, inMs, likeProduction, print, startFilled } from './start-filled.mjs';

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    part: { type: 'string', multiple: true, default: ['calls', 'migration'] },
    /** Half of them belong to the demo workspace; half of the views are of one document. */
    rows: { type: 'string', default: '200000' },
  },
});
const rows = Number(values.rows);

/** The tables of the product area. */
const tables = ['workspaces', 'documents', 'links', 'views', 'view_pages'];

const document = idOf('doc', 2);
const link = idOf('lnk', 2);
const calls = {
  'documents, newest': '/documents',
  'documents, by name': '/documents?order_by=name',
  'documents, by size, descending': '/documents?order_by=size_bytes%20desc',
  'documents, by views, descending': '/documents?order_by=view_count%20desc',
  'documents, search without a match': '/documents?query=nothing',
  'documents, search where all match': '/documents?query=length',
  'links, newest': '/links',
  'links, search without a match': '/links?query=nothing',
  'views of a link, newest': `/links/${link}/views`,
  'views of a link, longest': `/links/${link}/views?order_by=duration_ms%20desc`,
  'views of a document, newest': `/documents/${document}/views`,
  'views of a document, search': `/documents/${document}/views?query=reader42@`,
  'insight of a document': `/documents/${document}/insight`,
  'insight of a link': `/links/${link}/insight`,
};

async function measureCall({ client, demo, service }, path) {
  const call = () => client.json('GET', `/api/v1${path}`, { token: demo.apiKey });
  await call();
  const before = service.server.usage().micros;
  const result = await measure(call, { count: 40, ms: 5_000, warmUp: 0 });
  const micros = service.server.usage().micros - before;
  return { ...result, cpuMs: micros / 1000 / result.count };
}

/** Reads the CSV file, which the client does not keep. */
async function measureCsv({ demo, service }, path) {
  const before = service.server.residentBytes();
  service.server.resetPeak();
  const used = service.server.usage().micros;
  const begun = performance.now();
  const response = await fetch(`http://127.0.0.1:${service.ports.HTTP}/api/v1${path}`, {
    headers: { authorization: `Bearer ${demo.apiKey}` },
  });
  let bytes = 0;
  let lines = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === 10) lines += 1;
  }
  const seconds = (performance.now() - begun) / 1000;
  const cpuMs = (service.server.usage().micros - used) / 1000;
  const growth = service.server.peakBytes() - before;
  print(
    `views.csv: ${lines - 1} views, ${inMiB(bytes)} in ${seconds.toFixed(1)} s, ` +
      `CPU ${inMs(cpuMs)} ms, memory ${inMiB(before)} + ${inMiB(growth)}`,
  );
}

async function measureCalls(context) {
  const started = await startFilled(context, 'filled', { count: rows, tables });
  print('| call | p50 ms | p99 ms | CPU ms |\n|---|---|---|---|');
  for (const [name, path] of Object.entries(calls)) {
    const { p50, p99, cpuMs } = await measureCall(started, path);
    print(`| ${name} | ${inMs(p50)} | ${inMs(p99)} | ${inMs(cpuMs)} |`);
  }
  await measureCsv(started, `/documents/${document}/views.csv`);
  await measureCsv(started, `/links/${link}/views.csv`);
  started.client.close();
  await started.service.server.stop();
}

/** Fills a database with the schema before the lists, and migrates it. */
async function measureMigration({ folder, postgres }) {
  const { openDatabase } = await import('../../src/storage/database.ts');
  const { schemaMigrations } = await import('../../src/storage/migrate.ts');
  const url = postgres ? await postgres.createDatabase() : `sqlite:${folder}/old.db`;
  const all = { ...schemaMigrations };
  for (const name of Object.keys(all)) if (name >= '0005') delete schemaMigrations[name];
  await (await openDatabase(url)).destroy();
  const demo = { clientId: 'cli_1', workspaceId: 'ws_1', staffId: 'usr_1', linkId: 'lnk_1' };
  await fill(url, { count: rows / 2, now: Date.now(), demo, isBeforeLists: true, tables });
  for (const [name, migration] of Object.entries(all).filter(([name]) => name >= '0005')) {
    schemaMigrations[name] = migration;
    const begun = performance.now();
    await (await openDatabase(url)).destroy();
    print(`migration ${name}: ${inMs(performance.now() - begun)} ms with ${rows / 2} rows`);
  }
}

async function main() {
  const folder = await mkdtemp(`${tmpdir()}/latchkey-insight-`);
  const postgres = values.database === 'postgres' ? await startPostgres(likeProduction) : undefined;
  try {
    const context = { folder, postgres };
    if (values.part.includes('calls')) await measureCalls(context);
    if (values.part.includes('migration')) await measureMigration(context);
  } finally {
    await stopAll();
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
