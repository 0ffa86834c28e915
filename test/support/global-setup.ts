// Builds what the suites run and serve, and starts the PostgreSQL server that they share.
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/storage/database.ts';
import { buildIfStale } from './build.ts';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server that all tests of a run share; see `freshPostgresDatabase`. */
    postgresUrl: string;
    /** A database on it with the current schema and without rows, to copy. */
    postgresTemplate: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildIfStale();
  const postgres = await startPostgres();
  project.provide('postgresUrl', postgres.url);
  const templateUrl = await postgres.createDatabase();
  const template = await openDatabase(templateUrl);
  await template.destroy();
  project.provide('postgresTemplate', new URL(templateUrl).pathname.slice(1));
  return postgres.stop;
}
