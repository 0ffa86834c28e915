// Starts the PostgreSQL of the tests, and reads the processor time of all its processes.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { tsImport } from 'tsx/esm/api';
import { usageOf } from './usage.mjs';

/** A commit waits for the disk, as in production. The tests turn this off. */
export const durable = { settings: ['fsync=on', 'full_page_writes=on', 'max_wal_size=4GB'] };

/** `settings`: overrides of the settings of the tests. `onLog` receives the text of the log. */
export async function startPostgres(options = {}) {
  const { startPostgres: start } = await tsImport('../test/support/postgres.ts', import.meta.url);
  const postgres = await start(options);
  const file = path.join(postgres.dataDir, 'postmaster.pid');
  const pid = Number(readFileSync(file, 'utf8').split('\n', 1)[0]);
  return { ...postgres, micros: () => usageOf(pid).micros };
}

/** Adds the processor time of PostgreSQL to the usage of a server. */
export const withPostgres = (server, postgres) => ({
  ...server,
  usage: () => ({ ...server.usage(), postgres: postgres.micros() }),
});
