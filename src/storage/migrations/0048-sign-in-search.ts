// Adds the indexes by which the search finds passkeys, users' identities and sessions: by the start
// of a text, by the start of an id, and the newest rows. Expands only.
import type { Kysely } from 'kysely';
import { createSortIndex } from './0005-lists.ts';
import { indexForSearch } from './0034-search.ts';
import { createIndex } from './indexes.ts';

export async function indexSignInSearch(db: Kysely<unknown>): Promise<void> {
  await indexForSearch(db, 'passkeys', 'name', '');
  await indexForSearch(db, 'user_identities', 'subject', '');
  await createSortIndex(db, 'sessions', 'search_id', ['lower(id)']);
  await createIndex(db, 'sessions', 'search_newest', ['create_time', 'id']);
}
