import { foldedColumn } from '../../storage/folded-text.ts';
import { type List, type ListPage, readList } from '../../storage/list.ts';
import type { ListQuery } from '../../storage/list-request.ts';
import type { Executor, VisitorRow } from '../../storage/schema.ts';

export const visitorList = {
  sorts: {
    create_time: { column: 'create_time', kind: 'number' },
    last_view_time: { column: 'last_view_time', kind: 'number' },
    view_count: { column: 'view_count', kind: 'number' },
    email: { column: 'email', kind: 'text' },
  },
  searches: ['email'],
} as const satisfies List;

export function findVisitors(
  db: Executor,
  workspaceId: string,
  query: ListQuery,
): Promise<ListPage<VisitorRow>> {
  const visitors = db.selectFrom('visitors').selectAll().where('workspace_id', '=', workspaceId);
  return readList(db, visitors, visitorList, query);
}

/** `email` is folded. */
export function findVisitor(
  db: Executor,
  workspaceId: string,
  email: string,
): Promise<VisitorRow | undefined> {
  return db
    .selectFrom('visitors')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('email', '=', email)
    .executeTakeFirst();
}

/** Returns the visitors with an address after `after`, in the order of addresses. */
export function findVisitorsAfter(
  db: Executor,
  workspaceId: string,
  after: string,
  limit: number,
): Promise<VisitorRow[]> {
  const email = foldedColumn(db, 'email');
  return db
    .selectFrom('visitors')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where(email, '>', after)
    .orderBy(email)
    .limit(limit)
    .execute();
}

/** Removes the address of a visitor from the views, and the visitor. */
export async function eraseVisitor(
  trx: Executor,
  { id, workspace_id, email }: VisitorRow,
): Promise<void> {
  await trx
    .updateTable('views')
    .set({ email: '', email_verified: 0 })
    .where('workspace_id', '=', workspace_id)
    .where(foldedColumn(trx, 'email'), '=', email)
    .execute();
  await trx.deleteFrom('visitors').where('id', '=', id).execute();
}
