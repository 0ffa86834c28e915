import { inject } from 'vitest';
import type {} from './global-setup.ts';
import { createDatabase } from './postgres.ts';

/** Returns the URL of a new, empty database on the server that all tests of this run share. */
export function freshPostgresDatabase(): Promise<string> {
  return createDatabase(inject('postgresUrl'));
}

/** Does the same with the current schema, which saves the time of the migrations. */
export function migratedPostgresDatabase(): Promise<string> {
  return createDatabase(inject('postgresUrl'), inject('postgresTemplate'));
}
