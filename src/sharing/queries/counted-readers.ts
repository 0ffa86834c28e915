// A reader whose view a link has counted keeps access when the link has reached its limit.

import { viewIdOf } from '../../base/crypto/view-id.ts';
import { hasRow } from '../../storage/queries/row-counts.ts';
import type { Executor, LinkRow } from '../../storage/schema/schema.ts';
import { findSeenVersions } from './document-versions.ts';

/** Returns whether the link has counted the reader, for any document or version. */
export async function isCountedReader(
  db: Executor,
  { document_id }: LinkRow,
  session: { readonly viewId: string },
): Promise<boolean> {
  if (document_id === null) return hasViewIn(db, session.viewId);
  const versions = await findSeenVersions(db, document_id);
  if (versions.length === 0) return false;
  const ids = versions.map((version) => viewIdOf(session, version));
  return hasRow(db.selectFrom('views').where('id', 'in', ids));
}

/** Returns whether an access session has a view of a document of its room. */
export function hasViewIn(db: Executor, accessId: string): Promise<boolean> {
  return hasRow(db.selectFrom('views').where('access_id', '=', accessId));
}
