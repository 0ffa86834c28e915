// The access of a user in workspaces: roles, links and invitations.
import { sql } from 'kysely';
import type { AccessSource } from '../../api/access/access-source.ts';
import { readNewest } from '../../storage/queries/newest-rows.ts';
import { lockRows } from '../../storage/queries/row-locks.ts';
import type { Executor, WorkspaceRow } from '../../storage/schema/schema.ts';
import { hasTarget } from '../../storage/schema/sharing-rows.ts';

const openLinks = (db: Executor, creatorId: string, time: number) =>
  db
    .selectFrom('links')
    .where('creator_id', '=', creatorId)
    .where('revoke_time', 'is', null)
    .where(({ eb, or }) => or([eb('expire_time', 'is', null), eb('expire_time', '>', time)]))
    .where(hasTarget);

const openInvitations = (
  db: Executor,
  column: 'inviter_id' | 'email',
  value: string,
  time: number,
) => db.selectFrom('invitations').where(column, '=', value).where('expire_time', '>', time);

const invitations = (column: 'inviter_id' | 'email', key: 'id' | 'email'): AccessSource => ({
  find: (db, user, time) =>
    readNewest(
      db,
      openInvitations(db, column, user[key], time)
        .select(['id', 'create_time', 'expire_time'])
        .select('role as detail'),
    ),
  end: (trx, user) => trx.deleteFrom('invitations').where(column, '=', user[key]).execute(),
  scopesToEnd: async () => ['workspaces:write'],
});

export const sources = {
  memberships: {
    find: (db, { id }) =>
      readNewest(
        db,
        db
          .selectFrom('members')
          .where('user_id', '=', id)
          .select(['workspace_id', 'workspace_id as id', 'create_time', 'role as detail']),
        'workspace_id',
      ),
    end: (trx, { id }) => trx.deleteFrom('members').where('user_id', '=', id).execute(),
  },
  links: {
    find: (db, { id }, time) =>
      readNewest(db, openLinks(db, id, time).select(['id', 'create_time', 'expire_time'])),
    end: (trx, { id }, time) =>
      trx
        .updateTable('links')
        .set({ revoke_time: time, update_time: time })
        .where('id', 'in', openLinks(trx, id, time).select('id'))
        .execute(),
    scopesToEnd: async () => ['links:write'],
  },
  sentInvitations: invitations('inviter_id', 'id'),
  receivedInvitations: invitations('email', 'email'),
} satisfies Readonly<Record<string, AccessSource>>;

/** Locks the workspaces of which the user is an owner, in the order of their ids. */
export async function lockOwned(trx: Executor, userId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('members')
    .select('workspace_id')
    .where('user_id', '=', userId)
    .where('role', '=', 'owner')
    .orderBy('workspace_id')
    .execute();
  const ids = rows.map(({ workspace_id }) => workspace_id);
  await lockRows(trx, 'workspaces', 'id', ids);
  return ids;
}

export function findOwnerless(
  trx: Executor,
  workspaceIds: readonly string[],
): Promise<Pick<WorkspaceRow, 'id' | 'name'>[]> {
  return trx
    .selectFrom('workspaces')
    .select(['id', 'name'])
    .where('id', 'in', workspaceIds)
    .where('delete_time', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('members')
            .innerJoin('users', 'users.id', 'members.user_id')
            .select(sql.lit(1).as('one'))
            .whereRef('members.workspace_id', '=', 'workspaces.id')
            .where('members.role', '=', 'owner')
            .where('users.disable_time', 'is', null),
        ),
      ),
    )
    .orderBy('id')
    .execute();
}
