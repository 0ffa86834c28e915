// Adds the daily counts of clients and customers. Expands only: earlier releases do not count.
import type { Kysely } from 'kysely';
import { createIndex } from './indexes.ts';

export async function createUsageCounts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage_counts')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('subject_id', 'text', (c) => c.notNull())
    .addColumn('day', 'integer', (c) => c.notNull())
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('count', 'bigint', (c) => c.notNull())
    .execute();
  await createIndex(db, 'usage_counts', 'subject', ['subject_id', 'day']);
  await createIndex(db, 'usage_counts', 'day', ['day']);
}
