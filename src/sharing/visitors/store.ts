import {
  admitsOnly,
  deleteWaitingReceipts,
  erasedTexts,
  eraseFromLink,
  linkTexts,
  pseudonymOf,
  waitingReceipts,
} from '../../storage/queries/erased-addresses.ts';
import { containsText, foldedColumn } from '../../storage/queries/folded-text.ts';
import { type List, type ListPage, readList } from '../../storage/queries/list.ts';
import type { ListQuery } from '../../storage/queries/list-request.ts';
import { hasRow } from '../../storage/queries/row-counts.ts';
import type { SearchTable } from '../../storage/queries/search.ts';
import { findBy } from '../../storage/queries/table-queries.ts';
import type { Executor, VisitorRow } from '../../storage/schema/schema.ts';

export const visitorList = {
  sorts: { create_time: 'number', last_view_time: 'number', view_count: 'number', email: 'text' },
  searches: ['email'],
} as const satisfies List;

/** Visitors are known by their addresses. The prefix of their ids is that of views. */
export const visitorSearch: SearchTable = {
  table: 'visitors',
  idPrefix: 'viw',
  texts: ['email'],
  workspace: 'workspace_id',
};

export function findVisitors(
  db: Executor,
  workspaceId: string,
  query: ListQuery,
): Promise<ListPage<VisitorRow>> {
  const visitors = db.selectFrom('visitors').selectAll().where('workspace_id', '=', workspaceId);
  return readList(db, visitors, visitorList, query);
}

/** `email` is folded. */
export const findVisitor = findBy('visitors', 'workspace_id', 'email');

type Visit = Pick<VisitorRow, 'last_view_time' | 'id'>;

/** Returns visitors with a visit later than `since`, the latest visit first, after `last`. */
export function findVisitorsAfter(
  db: Executor,
  workspaceId: string,
  { last, since }: { readonly last: Visit | undefined; readonly since: number },
  limit: number,
): Promise<VisitorRow[]> {
  const rows = db
    .selectFrom('visitors')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('last_view_time', '>', since)
    .orderBy('last_view_time', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (last === undefined) return rows.execute();
  return rows
    .where('last_view_time', '<=', last.last_view_time)
    .where(({ eb, or }) =>
      or([eb('last_view_time', '<', last.last_view_time), eb('id', '<', last.id)]),
    )
    .execute();
}

/** A person whose address a workspace has, with an id that does not contain it. */
export type KnownAddress = Pick<VisitorRow, 'id' | 'workspace_id' | 'email'>;

/** Whether the workspace has the address in a browser that remembers it, or in a waiting mail. */
export async function isRemembered(
  db: Executor,
  { workspace_id, email }: KnownAddress,
): Promise<boolean> {
  const browsers = db
    .selectFrom('remembered_readers')
    .where('workspace_id', '=', workspace_id)
    .where('email', '=', email);
  return (await hasRow(browsers)) || hasRow(waitingReceipts(db, email, workspace_id));
}

/** Removes an address from the views, mails and browsers of the workspace, and the visitor. */
export async function eraseVisitor(
  trx: Executor,
  { id, workspace_id, email }: KnownAddress,
): Promise<void> {
  await trx
    .updateTable('views')
    .set({ email: '', email_verified: 0 })
    .where('workspace_id', '=', workspace_id)
    .where(foldedColumn(trx, 'email'), '=', email)
    .execute();
  await trx
    .deleteFrom('remembered_readers')
    .where('workspace_id', '=', workspace_id)
    .where('email', '=', email)
    .execute();
  await deleteWaitingReceipts(trx, email, workspace_id);
  await trx.deleteFrom('visitors').where('id', '=', id).execute();
}

/** The links with the address, in the order in which changes of several links lock them. */
export async function findLinksWith(
  db: Executor,
  { id, workspace_id, email }: KnownAddress,
): Promise<string[]> {
  const links = await db
    .selectFrom('links')
    .select(['id', ...linkTexts])
    .where('workspace_id', '=', workspace_id)
    .where(({ or }) => or(linkTexts.map((column) => containsText(db, column, email))))
    .execute();
  const address = { email, pseudonym: pseudonymOf(id) };
  // Another address may contain this one.
  const found = links.filter((link) => Object.keys(erasedTexts(link, address)).length > 0);
  return found.map((link) => link.id).toSorted();
}

/** Returns the ids of the links that no one else could open and that are not revoked. */
export async function eraseVisitorFromLinks(
  trx: Executor,
  { id, email }: KnownAddress,
  linkIds: readonly string[],
): Promise<string[]> {
  const own: string[] = [];
  const address = { email, pseudonym: pseudonymOf(id) };
  for (const linkId of linkIds) {
    const link = await eraseFromLink(trx, linkId, address);
    if (link?.revoke_time === null && admitsOnly(link.allow_list, email)) own.push(linkId);
  }
  return own;
}
