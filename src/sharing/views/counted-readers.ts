// A reader whose view a link has counted keeps access when the link has reached its limit.
import { viewIdOf } from '../../base/crypto/view-id.ts';
import { findSeenVersions } from '../../storage/document-versions.ts';
import type { Executor, LinkRow } from '../../storage/schema.ts';
import type { AccessSession } from '../gate/access-session.ts';
import { hasAnyView, hasViewIn } from './store.ts';

/** Returns whether the link has counted the reader, for any document or version. */
export async function isCountedReader(
  db: Executor,
  { document_id }: LinkRow,
  session: Pick<AccessSession, 'viewId'>,
): Promise<boolean> {
  if (document_id === null) return hasViewIn(db, session.viewId);
  const versions = await findSeenVersions(db, document_id);
  return hasAnyView(
    db,
    versions.map((version) => viewIdOf(session, version)),
  );
}
