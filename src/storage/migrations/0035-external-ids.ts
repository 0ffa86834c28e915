// Adds the time of the last change and the external id of resources that can be kept as files.
// Expands only: earlier releases do not set the time, and an entity tag is a digest of the row, so
// that their changes are noticed, too.
import type { Kysely } from 'kysely';

const tables = ['clients', 'audiences', 'trusted_issuers', 'customers', 'workspaces'];

export async function addExternalIds(db: Kysely<unknown>): Promise<void> {
  for (const table of tables) {
    await db.schema.alterTable(table).addColumn('update_time', 'bigint').execute();
    await db.schema.alterTable(table).addColumn('external_id', 'text').execute();
    await db.schema
      .createIndex(`${table}_external_id`)
      .unique()
      .on(table)
      .column('external_id')
      .execute();
  }
}
