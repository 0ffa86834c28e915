import type { Kysely } from 'kysely';

/** Creates the index `<table>_<name>`. */
export async function createIndex(
  db: Kysely<unknown>,
  table: string,
  name: string,
  columns: string[],
): Promise<void> {
  await db.schema.createIndex(`${table}_${name}`).on(table).columns(columns).execute();
}

/** Creates the index that serves lists sorted newest first. */
export function createNewestIndex(db: Kysely<unknown>, table: string): Promise<void> {
  return createIndex(db, table, 'newest', ['create_time', 'id']);
}
