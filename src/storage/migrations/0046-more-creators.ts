// Records who created the other resources. Expands only: rows of earlier releases have no creator.
import type { Kysely } from 'kysely';

export async function addMoreCreators(db: Kysely<unknown>): Promise<void> {
  for (const table of [
    ...(['audiences', 'trusted_issuers', 'identity_providers', 'users'] as const),
    ...(['workspaces', 'folders', 'domains'] as const),
  ]) {
    await db.schema.alterTable(table).addColumn('creator_id', 'text').execute();
  }
}
