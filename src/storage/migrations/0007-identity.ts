// Adds the tables of password resets, invitations and recovery codes. Expands only: earlier
// releases do not read these tables.
import { type Kysely, sql } from 'kysely';
import { createIndex } from './indexes.ts';

export async function createIdentityTokens(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('password_resets')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id'))
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('expire_time', 'bigint', (c) => c.notNull())
    .execute();
  await createIndex(db, 'password_resets', 'user_id', ['user_id']);
  await createIndex(db, 'password_resets', 'expire_time', ['expire_time']);
  await createInvitations(db);
  await db.schema
    .createTable('recovery_codes')
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id'))
    .addColumn('digest', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('recovery_codes_pkey', ['user_id', 'digest'])
    .execute();
}

export async function createInvitations(
  db: Kysely<unknown>,
  { isUnique = true } = {},
): Promise<void> {
  const table = db.schema
    .createTable('invitations')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspaces.id'))
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('owner', 'admin', 'member')`))
    .addColumn('inviter_type', 'text', (c) => c.notNull())
    .addColumn('inviter_id', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('expire_time', 'bigint', (c) => c.notNull());
  if (isUnique) {
    await table.addUniqueConstraint('invitations_email', ['workspace_id', 'email']).execute();
  } else {
    await table.execute();
    await createIndex(db, 'invitations', 'email', ['workspace_id', 'email']);
  }
  await createIndex(db, 'invitations', 'newest', ['workspace_id', 'create_time', 'id']);
  await createIndex(db, 'invitations', 'expire_time', ['expire_time']);
}
