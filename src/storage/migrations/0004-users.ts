import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('users')
    .addColumn('name', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema
    .createTable('totp_seeds')
    .addColumn('user_id', 'text', (c) => c.primaryKey().references('users.id'))
    .addColumn('ciphertext', 'text', (c) => c.notNull())
    .addColumn('master_key_id', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('confirm_time', 'bigint')
    .addColumn('last_step', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id'))
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('amr', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('refresh_time', 'bigint', (c) => c.notNull())
    .addColumn('expire_time', 'bigint', (c) => c.notNull())
    .addColumn('revoke_time', 'bigint')
    .execute();
  await db.schema
    .createTable('members')
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspaces.id'))
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id'))
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('owner', 'admin', 'member')`))
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('members_pkey', ['workspace_id', 'user_id'])
    .execute();
  for (const table of ['sessions', 'members']) {
    await db.schema.createIndex(`${table}_user_id`).on(table).column('user_id').execute();
  }
  await db.schema
    .createIndex('sessions_expire_time')
    .on('sessions')
    .column('expire_time')
    .execute();
  for (const table of ['users', 'workspaces']) {
    await db.schema
      .createIndex(`${table}_newest`)
      .on(table)
      .columns(['create_time', 'id'])
      .execute();
  }
}
