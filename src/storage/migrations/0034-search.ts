// Adds the indexes of the search through all workspaces: by the start of a name, by the start of an
// id, and the newest rows. The indexes of the lists begin with an owner. Expands only.
import type { Kysely } from 'kysely';
import { createSortIndex } from './0005-lists.ts';

const tables = ['clients', 'customers', 'users', 'workspaces'];

/** With the texts, and the rows that a search finds. */
const tablesOfWorkspaces = [
  ['documents', 'name', 'remove_time is null'],
  ['folders', 'name', 'remove_time is null'],
  ['links', 'name', ''],
  ['visitors', 'email', ''],
] as const;

const owners = ['client_id', 'customer_id', 'workspace_id'];

export async function indexSearch(db: Kysely<unknown>): Promise<void> {
  for (const table of [...tables, 'credentials']) {
    await createSortIndex(db, table, 'search_id', ['lower(id)']);
  }
  for (const [table, text, where] of tablesOfWorkspaces) {
    await indexForSearch(db, table, text, where);
  }
  for (const owner of owners) {
    const where = `${owner} is not null`;
    await createSortIndex(db, 'credentials', `search_${owner}`, ['lower(name)', 'id'], where);
    await createSortIndex(db, 'credentials', `newest_${owner}`, ['create_time', 'id'], where);
  }
  await indexInvitations(db);
}

export async function indexForSearch(
  db: Kysely<unknown>,
  table: string,
  text: string,
  where: string,
): Promise<void> {
  await createSortIndex(db, table, 'search_id', ['lower(id)']);
  await createSortIndex(db, table, 'search_text', [`lower(${text})`, 'id'], where);
  await createSortIndex(db, table, 'search_newest', ['create_time', 'id'], where);
}

export async function indexInvitations(db: Kysely<unknown>): Promise<void> {
  await indexForSearch(db, 'invitations', 'email', '');
  await createSortIndex(db, 'invitations', 'folded_email', ['workspace_id', 'lower(email)', 'id']);
}
