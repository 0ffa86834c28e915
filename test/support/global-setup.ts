// Builds the program and the browser code, starts the shared PostgreSQL server, and creates the
// empty databases that the suites copy.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/storage/database.ts';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server that all tests of a run share; see `freshPostgresDatabase`. */
    postgresUrl: string;
    /** A database on that server with the current schema and no rows. */
    postgresTemplate: string;
    /** The same as an SQLite file. */
    sqliteTemplate: string;
  }
}

const run = promisify(execFile);

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = path.resolve(import.meta.dirname, '../..');
  await run(process.execPath, ['scripts/build.mjs', '--if-changed'], { cwd: root });
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-template-'));
  const postgres = await startPostgres();
  project.provide('postgresUrl', postgres.url);
  const postgresTemplate = await postgres.createDatabase();
  const sqliteTemplate = path.join(folder, 'latchkey.db');
  for (const url of [postgresTemplate, `sqlite:${sqliteTemplate}`]) {
    const template = await openDatabase(url);
    await template.destroy();
  }
  project.provide('postgresTemplate', new URL(postgresTemplate).pathname.slice(1));
  project.provide('sqliteTemplate', sqliteTemplate);
  return async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
