import { type Kysely, sql } from 'kysely';
import { createIndex } from './indexes.ts';

/** Creates the table of changes to cached rows. */
export async function createChanges(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('changes')
    .addColumn('id', 'bigint', (c) => c.primaryKey())
    .addColumn('entity', 'text', (c) => c.notNull())
    .addColumn('entity_id', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull().defaultTo(sql.lit(0)))
    .execute();
  await createIndex(db, 'changes', 'create_time', ['create_time']);
}
