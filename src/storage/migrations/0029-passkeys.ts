// Adds passkeys, the browsers of sessions, and the rules that require a second factor. Expands
// only: earlier releases ignore the columns.
import type { Kysely } from 'kysely';
import { createTriggers, rowsWithRandomIds } from './0002-changes.ts';
import { watchColumns } from './0015-audiences.ts';
import { createIndex } from './indexes.ts';

export async function addPasskeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('passkeys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id'))
    .addColumn('credential_id', 'text', (column) => column.notNull().unique())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('counter', 'bigint', (column) => column.notNull())
    .addColumn('transports', 'text', (column) => column.notNull())
    .addColumn('synced', 'bigint', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('create_time', 'bigint', (column) => column.notNull())
    .addColumn('last_used_time', 'bigint')
    .execute();
  await createIndex(db, 'passkeys', 'user_id', ['user_id', 'create_time', 'id']);
  await db.schema.alterTable('sessions').addColumn('user_agent', 'text').execute();
  await watchColumns(db, 'sessions', 'amr', ['amr']);
  await addFactorRules(db);
}

async function addFactorRules(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('staff_factor_rule')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .execute();
  const workspaces = () => db.schema.alterTable('workspaces');
  await workspaces().addColumn('factor_required_since', 'bigint').execute();
  await workspaces()
    .addColumn('factor_grace_days', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  const columns = ['id', 'factor_required_since', 'factor_grace_days'];
  const events = rowsWithRandomIds;
  await createTriggers(db, [
    { table: 'workspaces', entity: 'workspace', id: 'id', columns, events },
  ]);
}
