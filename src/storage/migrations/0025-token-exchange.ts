// Adds the subjects for which clients may act, and the acting clients of audit events. Expands
// only: earlier releases ignore them.
import type { Kysely } from 'kysely';
import { watchColumns } from './0015-audiences.ts';

export async function addTokenExchange(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('clients').addColumn('may_act', 'text').execute();
  await watchColumns(db, 'clients', 'may_act', ['may_act']);
  await db.schema
    .alterTable('audit_events')
    .addColumn('acting_client', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
}
