// Adds the clients whose tokens are bound to a key. Expands only: earlier releases ignore it, and
// issue bearer tokens.
import type { Kysely } from 'kysely';
import { watchColumns } from './0015-audiences.ts';

export async function addBoundTokens(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('clients').addColumn('bound_tokens', 'integer').execute();
  await watchColumns(db, 'clients', 'bound_tokens', ['bound_tokens']);
}
