import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  const add = (name: string) =>
    db.schema.alterTable('signing_keys').addColumn(name, 'bigint').execute();
  await add('remove_time');
  await add('revoke_time');
  // A key that signed before anybody took note: the longest life that a token may be given.
  await db.schema
    .alterTable('signing_keys')
    .addColumn('token_seconds_max', 'bigint', (c) => c.notNull().defaultTo(3_600))
    .execute();
  await db.schema
    .createIndex('signing_keys_newest')
    .on('signing_keys')
    .columns(['create_time', 'kid'])
    .execute();
}
