// Adds the table with the id of the blob store that belongs to the database. See
// docs/decisions/0013.
import type { Kysely } from 'kysely';

export async function createBlobStores(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('blob_stores')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('id', 'text', (c) => c.notNull())
    .execute();
}
