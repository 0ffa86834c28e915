// The data about a person in workspaces, and its erasure.
import type { UserData } from '../../api/access/user-data.ts';
import {
  deleteWaitingReceipts,
  erasedTexts,
  eraseFromLink,
  linkTexts,
  pseudonymOf,
} from '../../storage/queries/erased-addresses.ts';
import { foldedColumn, foldValue } from '../../storage/queries/folded-text.ts';
import { ownDataPageMax, pagesByKey } from '../../storage/queries/own-data.ts';
import { findUserRow } from '../../storage/queries/users.ts';
import type { Executor } from '../../storage/schema/schema.ts';
import { ownedRows, type PurgeStep } from '../../storage/upkeep/purge.ts';

/** The workspaces with views of an address. Each of them has an index on addresses. */
const visited = (db: Executor, email: string) =>
  db
    .selectFrom('visitors')
    .select('workspace_id')
    .where(foldedColumn(db, 'email'), '=', foldValue(email));

const viewsOf = (db: Executor, email: string) =>
  db
    .selectFrom('views')
    .where('workspace_id', 'in', visited(db, email))
    .where(foldedColumn(db, 'email'), '=', foldValue(email));

export const readOwnViews: UserData = (db, { email }) =>
  pagesByKey('id', (after) =>
    viewsOf(db, email)
      .select(['id', 'workspace_id', 'link_id', 'document_id', 'version', 'email_verified'])
      .select(['create_time', 'duration_ms', 'download_count'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(ownDataPageMax)
      .execute(),
  );

export const eraseFromViews: PurgeStep = async (trx, userId, limit) => {
  const user = await findUserRow(trx, userId);
  if (user === undefined) return 0;
  const rows = await viewsOf(trx, user.email).select('id').limit(limit).execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) {
    const erased = { email: '', email_verified: 0 } as const;
    await trx.updateTable('views').set(erased).where('id', 'in', ids).execute();
  }
  if (ids.length === limit) return limit;
  await trx
    .deleteFrom('visitors')
    .where(foldedColumn(trx, 'email'), '=', foldValue(user.email))
    .execute();
  return ids.length;
};

/** Browsers forget the address, and receipts that wait are not sent. */
export const forgetReader: PurgeStep = async (trx, userId, limit) => {
  const user = await findUserRow(trx, userId);
  if (user === undefined) return 0;
  const email = foldValue(user.email);
  await deleteWaitingReceipts(trx, email);
  return ownedRows('remembered_readers', 'email', 'digest')(trx, email, limit);
};

export const deleteInvitations: PurgeStep = async (trx, userId, limit) => {
  const user = await findUserRow(trx, userId);
  const rows = await trx
    .selectFrom('invitations')
    .select('id')
    .where(({ eb, or }) => or([eb('inviter_id', '=', userId), eb('email', '=', user?.email ?? '')]))
    .limit(limit)
    .execute();
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  await trx.deleteFrom('invitations').where('id', 'in', ids).execute();
  return ids.length;
};

/**
 * No index finds an address within these texts, so that all links are read, in slices. The position
 * is stored with the user, in the transaction of the slice.
 */
export const eraseFromLinks: PurgeStep = async (trx, userId, limit) => {
  const user = await findUserRow(trx, userId);
  if (user === undefined || user.purge_position === allLinks) return 0;
  const rows = await trx
    .selectFrom('links')
    .select(['id', ...linkTexts])
    .where('id', '>', user.purge_position ?? '')
    .orderBy('id')
    .limit(limit)
    .execute();
  const address = { email: user.email, pseudonym: pseudonymOf(userId) };
  for (const row of rows) {
    if (Object.keys(erasedTexts(row, address)).length === 0) continue;
    await eraseFromLink(trx, row.id, address);
  }
  const position = rows.length < limit ? allLinks : rows.at(-1)?.id;
  await trx
    .updateTable('users')
    .set({ purge_position: position ?? allLinks })
    .where('id', '=', userId)
    .execute();
  return rows.length;
};

/** Sorts after every id. */
const allLinks = '~';
