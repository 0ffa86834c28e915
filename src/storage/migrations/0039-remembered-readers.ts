// Adds the browsers that remember a reader's verified address, and the messages of senders in mails
// with links. Expands only.
import type { Kysely } from 'kysely';
import { createIndex } from './indexes.ts';

export async function addRememberedReaders(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('remembered_readers')
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('expire_time', 'bigint', (column) => column.notNull())
    .execute();
  await createIndex(db, 'remembered_readers', 'workspace', ['workspace_id']);
  await createIndex(db, 'remembered_readers', 'email', ['email', 'workspace_id']);
  await createIndex(db, 'remembered_readers', 'expire_time', ['expire_time']);
  await db.schema
    .alterTable('reader_mails')
    .addColumn('message', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
}
