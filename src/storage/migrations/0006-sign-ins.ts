import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sign_in_counters')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('level_time', 'bigint', (c) => c.notNull())
    .addColumn('next_time', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('sign_in_counters_level_time')
    .on('sign_in_counters')
    .column('level_time')
    .execute();
  await db.schema
    .createTable('familiar_networks')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('last_time', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('familiar_networks_last_time')
    .on('familiar_networks')
    .column('last_time')
    .execute();
}
