// Adds the token of the caller to audit events. Expands only: events of earlier releases have none.
import type { Kysely } from 'kysely';
import { createIndex } from './indexes.ts';

export async function addTokenIds(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('audit_events')
    .addColumn('token_id', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await createIndex(db, 'audit_events', 'token_id', ['token_id', 'create_time', 'id']);
}
