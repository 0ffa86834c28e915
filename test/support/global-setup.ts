import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the server that all tests of a run share; see `freshPostgresDatabase`. */
    postgresUrl: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Some suites run the built program, and every app serves the built browser code.
  const root = path.resolve(import.meta.dirname, '../..');
  await promisify(execFile)('npm', ['run', 'build'], { cwd: root });
  const postgres = await startPostgres();
  project.provide('postgresUrl', postgres.url);
  return postgres.stop;
}
