// Adds the time of the last change of users, identity providers, documents, folders and links.
// Expands only: earlier releases do not set it.
import type { Kysely } from 'kysely';

const tables = ['users', 'identity_providers', 'documents', 'folders', 'links'];

export async function addUpdateTimes(db: Kysely<unknown>): Promise<void> {
  for (const table of tables) {
    await db.schema.alterTable(table).addColumn('update_time', 'bigint').execute();
  }
}
