// Adds the claims, the lifetime and the default scopes of the tokens of clients. Expands only:
// earlier releases ignore them.
import type { Kysely } from 'kysely';
import { watchColumns } from './0015-audiences.ts';

export async function addClientTokens(db: Kysely<unknown>): Promise<void> {
  const columns = { claims: 'text', token_seconds: 'bigint', default_scopes: 'text' } as const;
  for (const [name, type] of Object.entries(columns)) {
    await db.schema.alterTable('clients').addColumn(name, type).execute();
  }
  await watchColumns(db, 'clients', 'tokens', Object.keys(columns));
}
