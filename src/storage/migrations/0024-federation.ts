// Adds trusted issuers, the federated identities of clients, and the reasons of audit events.
// Expands only: earlier releases refuse the assertions of trusted issuers.
import { type Kysely, sql } from 'kysely';
import { createTriggers } from './0002-changes.ts';
import { createSortIndex } from './0005-lists.ts';
import { createIndex, createNewestIndex } from './indexes.ts';

export async function addFederation(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('trusted_issuers')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('jwks_uri', 'text')
    .addColumn('jwks', 'text')
    .addColumn('audience', 'text', (c) => c.notNull())
    .addColumn('enabled', 'integer', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('read_jwks', 'text')
    .addColumn('read_time', 'bigint')
    .addColumn('attempt_time', 'bigint')
    .addColumn('attempt_error', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await createNewestIndex(db, 'trusted_issuers');
  await createSortIndex(db, 'trusted_issuers', 'name', ['lower(name)', 'id']);
  await db.schema
    .createTable('federated_identities')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('client_id', 'text', (c) => c.notNull().references('clients.id'))
    .addColumn('issuer_id', 'text', (c) => c.notNull().references('trusted_issuers.id'))
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('claims', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .execute();
  const newest = ['client_id', 'create_time', 'id'];
  await createIndex(db, 'federated_identities', 'newest', newest);
  await createIndex(db, 'federated_identities', 'issuer', ['issuer_id']);
  await createTriggers(db, [
    {
      table: 'trusted_issuers',
      entity: 'trusted_issuer',
      id: 'id',
      columns: [
        'id',
        'issuer',
        'jwks_uri',
        'jwks',
        'audience',
        'enabled',
        'read_jwks',
        'read_time',
      ],
      events: ['insert', 'update', 'delete'],
    },
    {
      table: 'federated_identities',
      entity: 'client',
      id: 'client_id',
      columns: ['client_id', 'issuer_id', 'subject', 'claims'],
      events: ['insert', 'update', 'delete'],
    },
  ]);
  await sql`insert into revisions (name, value) values ('trusted_issuers', 0)`.execute(db);
  await db.schema
    .alterTable('audit_events')
    .addColumn('reason', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
}
