// Adds the recorded answers of calls with an Idempotency-Key. Expands only: processes of an earlier
// release ignore the key and the table.
import type { Kysely } from 'kysely';

export async function addRecordedAnswers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('recorded_answers')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('caller', 'text', (c) => c.notNull())
    .addColumn('answer', 'text', (c) => c.notNull())
    .addColumn('master_key_id', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('recorded_answers_time')
    .on('recorded_answers')
    .column('create_time')
    .execute();
  await db.schema
    .createIndex('recorded_answers_caller')
    .on('recorded_answers')
    .columns(['caller', 'create_time'])
    .execute();
}
