// Adds the public keys of clients, and the assertions that were used. Expands only: earlier
// releases do not read these tables.
import type { Kysely } from 'kysely';
import { createTriggers } from './0002-changes.ts';
import { createIndex } from './indexes.ts';

export async function createClientKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('client_keys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('client_id', 'text', (c) => c.notNull().references('clients.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('jwk', 'text', (c) => c.notNull())
    .addColumn('thumbprint', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('expire_time', 'bigint')
    .addColumn('revoke_time', 'bigint')
    .execute();
  await createIndex(db, 'client_keys', 'newest', ['client_id', 'create_time', 'id']);
  await createTriggers(db, [
    {
      table: 'client_keys',
      entity: 'client',
      id: 'client_id',
      columns: ['client_id', 'jwk', 'expire_time', 'revoke_time'],
      events: ['insert', 'update', 'delete'],
    },
  ]);
  await db.schema
    .createTable('used_assertions')
    .addColumn('digest', 'text', (c) => c.primaryKey())
    .addColumn('expire_time', 'bigint', (c) => c.notNull())
    .execute();
  await createIndex(db, 'used_assertions', 'expire_time', ['expire_time']);
}
