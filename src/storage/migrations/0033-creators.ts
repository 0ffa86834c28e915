// Records who created a resource. Expands only: rows of earlier releases have no creator.
import type { Kysely } from 'kysely';
import { createIndex } from './indexes.ts';

export async function addCreators(db: Kysely<unknown>): Promise<void> {
  for (const table of [
    ...(['clients', 'client_keys', 'federated_identities', 'credentials'] as const),
    ...(['customers', 'documents'] as const),
  ]) {
    await db.schema.alterTable(table).addColumn('creator_id', 'text').execute();
  }
  const created = ['clients', 'client_keys', 'federated_identities', 'credentials', 'customers'];
  for (const table of [...created, 'links']) {
    await createIndex(db, table, 'creator', ['creator_id', 'create_time', 'id']);
  }
  await indexInvitationsByUser(db);
}

export async function indexInvitationsByUser(db: Kysely<unknown>): Promise<void> {
  await createIndex(db, 'invitations', 'inviter', ['inviter_id', 'create_time', 'id']);
  await createIndex(db, 'invitations', 'newest_to', ['email', 'create_time', 'id']);
}
