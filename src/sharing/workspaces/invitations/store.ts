import { sql } from 'kysely';
import { type List, type ListPage, readList } from '../../../storage/queries/list.ts';
import type { ListQuery } from '../../../storage/queries/list-request.ts';
import { countRows } from '../../../storage/queries/row-counts.ts';
import type { SearchTable } from '../../../storage/queries/search.ts';
import { findBy, insertInto } from '../../../storage/queries/table-queries.ts';
import type { Executor, InvitationRow } from '../../../storage/schema/schema.ts';

export const insertInvitation = insertInto('invitations');

export const findInvitation = findBy('invitations', 'id');

export function findInvitationsTo(
  db: Executor,
  { workspace_id, email }: Pick<InvitationRow, 'workspace_id' | 'email'>,
): Promise<Pick<InvitationRow, 'id' | 'role' | 'expire_time'>[]> {
  return db
    .selectFrom('invitations')
    .select(['id', 'role', 'expire_time'])
    .where('workspace_id', '=', workspace_id)
    .where('email', '=', email)
    .execute();
}

/**
 * Deletes invitations, and returns the ids of those that existed. Concurrent calls wait for the
 * commit. The order of the ids prevents deadlocks.
 */
export async function endInvitations(trx: Executor, ids: readonly string[]): Promise<string[]> {
  const deleted: string[] = [];
  for (const id of ids.toSorted()) {
    const { numDeletedRows } = await trx
      .deleteFrom('invitations')
      .where('id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows > 0) deleted.push(id);
  }
  return deleted;
}

export const invitationList = {
  sorts: { create_time: 'number' },
  searches: ['email', 'id'],
} as const satisfies List;

export const invitationSearch: SearchTable = {
  table: 'invitations',
  idPrefix: 'inv',
  texts: ['email'],
  workspace: 'workspace_id',
  where: (now) => sql`expire_time > ${now}`,
};

export function findInvitations(
  db: Executor,
  workspaceId: string,
  now: number,
  query: ListQuery,
): Promise<ListPage<InvitationRow>> {
  const open = db
    .selectFrom('invitations')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('expire_time', '>', now);
  return readList(db, open, invitationList, query);
}

export function countOtherInvitations(
  db: Executor,
  { workspace_id, email }: Pick<InvitationRow, 'workspace_id' | 'email'>,
  now: number,
): Promise<number> {
  return countRows(
    db
      .selectFrom('invitations')
      .where('workspace_id', '=', workspace_id)
      .where('email', '<>', email)
      .where('expire_time', '>', now),
  );
}
