// Records who created the other resources and until when users have read their notices, and indexes
// more resources for the search. Expands only: rows of earlier releases have no creator.
import type { Kysely } from 'kysely';
import { createSortIndex } from './0005-lists.ts';
import { createIndex } from './indexes.ts';

/** The tables that the search reads from now on, with their text and the rows that it finds. */
const searched = [
  ['client_keys', 'name', ''],
  ['federated_identities', 'subject', ''],
  ['domains', 'name', 'remove_time is null'],
] as const;

export async function addCreatorsAndReads(db: Kysely<unknown>): Promise<void> {
  for (const table of [
    ...(['audiences', 'trusted_issuers', 'identity_providers', 'users'] as const),
    ...(['workspaces', 'folders', 'domains'] as const),
  ]) {
    await db.schema.alterTable(table).addColumn('creator_id', 'text').execute();
  }
  for (const [table, text, where] of searched) {
    await createSortIndex(db, table, 'search_id', ['lower(id)']);
    await createSortIndex(db, table, 'search_text', [`lower(${text})`, 'id'], where);
    await createSortIndex(db, table, 'search_newest', ['create_time', 'id'], where);
  }
  const inWorkspace = ['workspace_id', 'lower(name)', 'id'];
  await createSortIndex(db, 'domains', 'name', inWorkspace, 'remove_time is null');
  // Without references, because earlier releases delete users and workspaces.
  await db.schema
    .createTable('notice_reads')
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('read_time', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('notice_reads_pkey', ['workspace_id', 'user_id'])
    .execute();
  await createIndex(db, 'notice_reads', 'user', ['user_id']);
}
