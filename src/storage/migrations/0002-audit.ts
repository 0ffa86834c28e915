import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['signing_keys', 'revoked_tokens']) {
    await sql`insert into revisions (name, value) values (${name}, 0)`.execute(db);
  }
  await db.schema
    .createTable('audit_events')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('actor_type', 'text', (c) => c.notNull())
    .addColumn('actor_id', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('code', 'text', (c) => c.notNull())
    .addColumn('count', 'bigint', (c) => c.notNull())
    .addColumn('request_id', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('audit_events_newest')
    .on('audit_events')
    .columns(['create_time', 'id'])
    .execute();
  for (const filter of ['actor_id', 'action', 'target']) {
    await db.schema
      .createIndex(`audit_events_${filter}`)
      .on('audit_events')
      .columns([filter, 'create_time', 'id'])
      .execute();
  }
}
