// Adds identity providers, their accounts, the sessions that were started with them, and the
// passwords of `recover-staff`. Expands only: earlier releases ignore the columns.
import type { Kysely } from 'kysely';
import { createSortIndex } from './0005-lists.ts';
import { createIndex, createNewestIndex } from './indexes.ts';

export async function addIdentityProviders(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('identity_providers')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('issuer', 'text', (column) => column.notNull().unique())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('secret_ciphertext', 'text', (column) => column.notNull())
    .addColumn('master_key_id', 'text', (column) => column.notNull())
    .addColumn('allowed_domains', 'text', (column) => column.notNull())
    .addColumn('role_mappings', 'text', (column) => column.notNull())
    .addColumn('enabled', 'bigint', (column) => column.notNull())
    .addColumn('create_users', 'bigint', (column) => column.notNull())
    .addColumn('groups_claim', 'text', (column) => column.notNull())
    .addColumn('email_verified_claim', 'text', (column) => column.notNull())
    .addColumn('additional_scopes', 'text', (column) => column.notNull())
    .addColumn('create_time', 'bigint', (column) => column.notNull())
    .execute();
  await createNewestIndex(db, 'identity_providers');
  await createSortIndex(db, 'identity_providers', 'name', ['lower(name)', 'id']);
  await db.schema
    .createTable('user_identities')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('provider_id', 'text', (c) => c.notNull().references('identity_providers.id'))
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('manages_grants', 'bigint', (column) => column.notNull())
    .addColumn('create_time', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('user_identities_subject', ['provider_id', 'subject'])
    .addUniqueConstraint('user_identities_user', ['user_id', 'provider_id'])
    .execute();
  const sessions = () => db.schema.alterTable('sessions');
  await sessions().addColumn('auth_time', 'bigint').execute();
  await sessions().addColumn('provider_id', 'text').execute();
  await sessions().addColumn('provider_sid', 'text').execute();
  await createIndex(db, 'sessions', 'provider', ['provider_id', 'provider_sid']);
  await db.schema
    .createTable('recovery_passwords')
    .addColumn('user_id', 'text', (column) => column.primaryKey().references('users.id'))
    .addColumn('password_hash', 'text', (column) => column.notNull())
    .execute();
}
