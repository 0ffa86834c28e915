import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('audit_events_code')
    .on('audit_events')
    .columns(['code', 'create_time', 'id'])
    .execute();
}
