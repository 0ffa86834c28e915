// Adds the command-line sign-ins through a browser. Expands only.
import type { Kysely } from 'kysely';
import { createIndex } from './indexes.ts';

export async function addDeviceSignIns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('device_sign_ins')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('digest', 'text', (column) => column.notNull().unique())
    .addColumn('user_code', 'text', (column) => column.notNull().unique())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('user_agent', 'text')
    .addColumn('create_time', 'bigint', (column) => column.notNull())
    .addColumn('expire_time', 'bigint', (column) => column.notNull())
    .addColumn('last_poll_time', 'bigint')
    .addColumn('session_id', 'text')
    .execute();
  await createIndex(db, 'device_sign_ins', 'expire_time', ['expire_time']);
}
