import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gate_counters')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('level_time', 'bigint', (c) => c.notNull())
    .addColumn('next_time', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('gate_counters_level_time')
    .on('gate_counters')
    .column('level_time')
    .execute();
  await db.schema
    .createTable('gate_codes')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('link_id', 'text', (c) => c.notNull().references('links.id').onDelete('cascade'))
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('tries', 'bigint', (c) => c.notNull())
    .addColumn('send_time', 'bigint', (c) => c.notNull())
    .addColumn('expire_time', 'bigint', (c) => c.notNull())
    .execute();
  for (const column of ['link_id', 'expire_time']) {
    await db.schema.createIndex(`gate_codes_${column}`).on('gate_codes').column(column).execute();
  }
}
