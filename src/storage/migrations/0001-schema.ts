// The first schema. Ids are text, times are milliseconds since 1970, flags are 0 or 1.
import { type Kysely, sql } from 'kysely';
import { createSharingTables } from './0001-sharing-tables.ts';
import { createIndex, createNewestIndex } from './indexes.ts';

export async function createFirstSchema(db: Kysely<unknown>): Promise<void> {
  await createRevisions(db);
  await createSigningKeys(db);
  await createClients(db);
  await createCustomers(db);
  await createUsers(db);
  await createSessions(db);
  await createThrottle(db);
  await createRevokedTokens(db);
  await createAuditEvents(db);
  await createSharingTables(db);
}

async function createRevisions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('revisions')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'bigint', (c) => c.notNull())
    .execute();
  for (const name of ['access', 'signing_keys', 'revoked_tokens']) {
    await sql`insert into revisions (name, value) values (${name}, 0)`.execute(db);
  }
}

async function createSigningKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('signing_keys')
    .addColumn('kid', 'text', (c) => c.primaryKey())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('public_x', 'text', (c) => c.notNull())
    .addColumn('private_ciphertext', 'text', (c) => c.notNull())
    .addColumn('master_key_id', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('activate_time', 'bigint')
    .addColumn('retire_time', 'bigint')
    .addColumn('remove_time', 'bigint')
    .addColumn('revoke_time', 'bigint')
    .addColumn('token_seconds_max', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('signing_keys_one_active')
    .unique()
    .on('signing_keys')
    .column('state')
    .where(sql.ref('state'), '=', sql.lit('active'))
    .execute();
  await createIndex(db, 'signing_keys', 'newest', ['create_time', 'kid']);
}

async function createClients(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('clients')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('disable_time', 'bigint')
    .execute();
  await createNewestIndex(db, 'clients');
}

async function createCustomers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('customers')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('disable_time', 'bigint')
    .execute();
  await createNewestIndex(db, 'customers');
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .execute();
  await createNewestIndex(db, 'accounts');
  await db.schema
    .createTable('customer_accounts')
    .addColumn('customer_id', 'text', (c) => c.notNull().references('customers.id'))
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addPrimaryKeyConstraint('customer_accounts_pkey', ['customer_id', 'account_id'])
    .execute();
  await createIndex(db, 'customer_accounts', 'account', ['account_id']);
}

async function createUsers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('disable_time', 'bigint')
    .execute();
  await createNewestIndex(db, 'users');
  await createIndex(db, 'users', 'kind', ['kind', 'create_time', 'id']);
  await db.schema
    .createTable('totp_seeds')
    .addColumn('user_id', 'text', (c) => c.primaryKey().references('users.id'))
    .addColumn('ciphertext', 'text', (c) => c.notNull())
    .addColumn('master_key_id', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('confirm_time', 'bigint')
    .addColumn('last_step', 'bigint', (c) => c.notNull())
    .execute();
}

async function createSessions(db: Kysely<unknown>): Promise<void> {
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
  await createIndex(db, 'sessions', 'user_id', ['user_id', 'create_time', 'id']);
  await createIndex(db, 'sessions', 'expire_time', ['expire_time']);
}

async function createThrottle(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('throttle_counters')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('level_time', 'bigint', (c) => c.notNull())
    .addColumn('next_time', 'bigint', (c) => c.notNull())
    .execute();
  await createIndex(db, 'throttle_counters', 'level_time', ['level_time']);
  await db.schema
    .createTable('familiar_networks')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('last_time', 'bigint', (c) => c.notNull())
    .execute();
  await createIndex(db, 'familiar_networks', 'last_time', ['last_time']);
}

async function createRevokedTokens(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('revoked_tokens')
    .addColumn('jti', 'text', (c) => c.primaryKey())
    .addColumn('expire_time', 'bigint', (c) => c.notNull())
    .addColumn('revision', 'bigint', (c) => c.notNull())
    .execute();
  await createIndex(db, 'revoked_tokens', 'expire_time', ['expire_time']);
  await createIndex(db, 'revoked_tokens', 'revision', ['revision']);
}

async function createAuditEvents(db: Kysely<unknown>): Promise<void> {
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
  await createNewestIndex(db, 'audit_events');
  for (const filter of ['actor_id', 'action', 'target', 'code']) {
    await createIndex(db, 'audit_events', filter, [filter, 'create_time', 'id']);
  }
  await db.schema
    .createTable('retention_times')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('time', 'bigint', (c) => c.notNull())
    .execute();
}
