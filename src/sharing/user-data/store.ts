// The data about a person in workspaces, and its erasure.
import type { UserData } from '../../api/access/user-data.ts';
import { pseudonymOf, replaceAddress } from '../../storage/erased-addresses.ts';
import { foldedColumn, foldValue } from '../../storage/folded-text.ts';
import { ownDataPageMax, pagesByKey } from '../../storage/own-data.ts';
import type { PurgeStep } from '../../storage/purge.ts';
import { lockRow } from '../../storage/row-locks.ts';
import type { Executor, LinkRow } from '../../storage/schema.ts';
import { findUserRow } from '../../storage/users.ts';

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

const linkTexts = ['name', 'recipient', 'allow_list'] as const;

/**
 * No index finds an address within these texts, so that all links are read, in slices. The position
 * is stored with the user, in the transaction of the slice. An entry of a `block_list` stays:
 * without it, the person could read the link again.
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
  const changeOf = (texts: LinkTexts) => erasedTexts(texts, user.email, pseudonymOf(userId));
  for (const row of rows) {
    if (Object.keys(changeOf(row)).length === 0) continue;
    const locked = await lockRow(trx, 'links', 'id', row.id);
    const change = locked === undefined ? {} : changeOf(locked);
    if (Object.keys(change).length === 0) continue;
    await trx.updateTable('links').set(change).where('id', '=', row.id).execute();
  }
  const position = rows.length < limit ? allLinks : rows.at(-1)?.id;
  await trx
    .updateTable('users')
    .set({ purge_position: position ?? allLinks })
    .where('id', '=', userId)
    .execute();
  return rows.length;
};

type LinkTexts = Pick<LinkRow, (typeof linkTexts)[number]>;

/** The texts that contain the address, without it. */
function erasedTexts(texts: LinkTexts, email: string, pseudonym: string): Partial<LinkTexts> {
  const entryOf = (entry: string) => (entry.toLowerCase() === email ? pseudonym : entry);
  const erased: LinkTexts = {
    name: replaceAddress(texts.name, email, pseudonym),
    recipient: entryOf(texts.recipient),
    allow_list: texts.allow_list.split(' ').map(entryOf).join(' '),
  };
  return Object.fromEntries(
    linkTexts.filter((name) => erased[name] !== texts[name]).map((name) => [name, erased[name]]),
  );
}

/** Sorts after every id. */
const allLinks = '~';
