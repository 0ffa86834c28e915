import { type Kysely, sql } from 'kysely';

/**
 * Adds the column that marks a removed document, and an index that finds the marked rows. The index
 * covers no other rows, so that it costs nothing for them.
 */
export async function markRemovedDocuments(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('documents').addColumn('remove_time', 'bigint').execute();
  await db.schema
    .createIndex('documents_removed')
    .on('documents')
    .columns(['remove_time', 'id'])
    .where(sql.ref('remove_time'), 'is not', null)
    .execute();
}
