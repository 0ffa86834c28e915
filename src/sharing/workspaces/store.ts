import { type Insertable, sql } from 'kysely';
import { compileOnce, type QueryParameters } from '../../storage/queries/compiled-query.ts';
import { type List, type ListPage, readList } from '../../storage/queries/list.ts';
import type { ListQuery } from '../../storage/queries/list-request.ts';
import { hasRow } from '../../storage/queries/row-counts.ts';
import { lockOnly } from '../../storage/queries/row-locks.ts';
import type { SearchTable } from '../../storage/queries/search.ts';
import { deleteBy, insertInto, type ShownRows } from '../../storage/queries/table-queries.ts';
import type {
  Executor,
  MemberRow,
  Schema,
  UserIdentityRow,
  UserRow,
  WorkspaceRow,
} from '../../storage/schema/schema.ts';

export const insertWorkspace = insertInto('workspaces');

const selectWorkspace = compileOnce((db, { id }: QueryParameters<{ id: string }>) =>
  db.selectFrom('workspaces').selectAll().where('id', '=', id),
);

export async function findWorkspace(db: Executor, id: string): Promise<WorkspaceRow | undefined> {
  return (await selectWorkspace(db, { id })).rows[0];
}

/** Returns the ids without a workspace. */
export async function findMissingWorkspaces(
  db: Executor,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('workspaces').select('id').where('id', 'in', ids).execute();
  const known = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !known.has(id));
}

export const workspaceList = {
  sorts: { create_time: 'number', name: 'text' },
  searches: ['name', 'id'],
} as const satisfies List;

export const workspaceSearch: SearchTable = {
  table: 'workspaces',
  idPrefix: 'ws',
  texts: ['name'],
  workspace: 'id',
  where: () => sql`delete_time is null`,
};

export function findWorkspaces(
  db: Executor,
  userId: string | undefined,
  query: ListQuery,
  { externalId = '', showDeleted = false }: ShownRows = {},
): Promise<ListPage<WorkspaceRow>> {
  let workspaces = db.selectFrom('workspaces').selectAll();
  if (externalId !== '') workspaces = workspaces.where('external_id', '=', externalId);
  if (!showDeleted) workspaces = workspaces.where('delete_time', 'is', null);
  if (userId !== undefined) {
    workspaces = workspaces.where('id', 'in', (eb) =>
      eb.selectFrom('members').select('workspace_id').where('user_id', '=', userId),
    );
  }
  return readList(db, workspaces, workspaceList, query);
}

export type WorkspaceChange = Partial<Omit<WorkspaceRow, 'id' | 'create_time'>>;

export function updateWorkspace(
  db: Executor,
  id: string,
  change: WorkspaceChange,
): Promise<WorkspaceRow | undefined> {
  return db
    .updateTable('workspaces')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export type MemberUser = MemberRow & Pick<UserRow, 'id' | 'email' | 'name'>;

const selectMembers = (db: Executor) =>
  db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .selectAll('members')
    .select(['members.user_id as id', 'users.email as email', 'users.name as name']);

export function findMember(
  db: Executor,
  workspaceId: string,
  userId: string,
): Promise<MemberUser | undefined> {
  return selectMembers(db)
    .where('members.workspace_id', '=', workspaceId)
    .where('members.user_id', '=', userId)
    .executeTakeFirst();
}

/** Names and addresses are in another table, so no index can sort members by them. */
export const memberList = {
  sorts: { create_time: 'number' },
  searches: ['name', 'email', 'user_id'],
} as const satisfies List;

export function findMembers(
  db: Executor,
  workspaceId: string,
  query: ListQuery,
): Promise<ListPage<MemberUser>> {
  // With a join, PostgreSQL might read the users of all workspaces for a search.
  const userColumn = (name: 'email' | 'name') =>
    sql<string>`(select ${sql.ref(name)} from users where users.id = members.user_id)`;
  const members = db
    .selectFrom('members')
    .selectAll()
    .select(['user_id as id', userColumn('email').as('email'), userColumn('name').as('name')])
    .where('workspace_id', '=', workspaceId)
    .as('members');
  return readList(db, db.selectFrom(members).selectAll(), memberList, query);
}

export async function putMember(db: Executor, row: Insertable<Schema['members']>): Promise<void> {
  await db
    .insertInto('members')
    .values(row)
    .onConflict((oc) => oc.columns(['workspace_id', 'user_id']).doUpdateSet({ role: row.role }))
    .execute();
}

export const deleteMember = deleteBy('members', 'workspace_id', 'user_id');

const endedUsersMax = 500;

/**
 * Removes the users whose grants an identity provider manages from workspaces, except owners, in
 * slices of users. Returns the user of each removed row.
 */
export async function deleteProvidedMembers(
  trx: Executor,
  providerId: string,
  workspaceIds: readonly string[],
): Promise<string[]> {
  if (workspaceIds.length === 0) return [];
  const ended: string[] = [];
  for (let after = ''; ; ) {
    const users = await findProvidedMembers(trx, providerId, workspaceIds, after);
    const last = users.at(-1);
    if (last === undefined) return ended;
    const ids = users.map(({ user_id }) => user_id);
    // Checks of a user's roles lock the user, so a change of the roles waits for them.
    await lockOnly(trx, 'users', 'id', ids);
    const deleted = await trx
      .deleteFrom('members')
      .where('workspace_id', 'in', workspaceIds)
      .where('role', '<>', 'owner')
      .where('user_id', 'in', ids)
      .returning('user_id')
      .execute();
    ended.push(...deleted.map(({ user_id }) => user_id));
    after = last.subject;
  }
}

/** In the order of an index. */
function findProvidedMembers(
  trx: Executor,
  providerId: string,
  workspaceIds: readonly string[],
  after: string,
): Promise<Pick<UserIdentityRow, 'user_id' | 'subject'>[]> {
  return trx
    .selectFrom('user_identities')
    .select(['user_id', 'subject'])
    .where('provider_id', '=', providerId)
    .where('manages_grants', '=', 1)
    .where('subject', '>', after)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('members')
          .select(sql.lit(1).as('one'))
          .whereRef('members.user_id', '=', 'user_identities.user_id')
          .where('workspace_id', 'in', workspaceIds)
          .where('role', '<>', 'owner'),
      ),
    )
    .orderBy('subject')
    .limit(endedUsersMax)
    .execute();
}

/** Whether the workspace has an owner who can sign in. */
export function hasWorkspaceOwner(db: Executor, workspaceId: string): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('members')
      .innerJoin('users', 'users.id', 'members.user_id')
      .where('members.workspace_id', '=', workspaceId)
      .where('members.role', '=', 'owner')
      .where('users.disable_time', 'is', null),
  );
}

type RoleRow = Pick<MemberRow, 'workspace_id' | 'role' | 'joined'> &
  Pick<WorkspaceRow, 'factor_required_since' | 'factor_grace_days' | 'delete_time'>;

export function findRoles(db: Executor, userId: string): Promise<RoleRow[]> {
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .innerJoin('workspaces', 'workspaces.id', 'members.workspace_id')
    .select(['members.workspace_id', 'members.role', 'members.joined'])
    .select(['factor_required_since', 'factor_grace_days', 'workspaces.delete_time'])
    .where('users.id', '=', userId)
    .where('users.kind', '=', 'member')
    .where('users.disable_time', 'is', null)
    .execute();
}

export function findAllRoles(db: Executor, userId: string): Promise<Pick<MemberRow, 'role'>[]> {
  return db.selectFrom('members').select('role').where('user_id', '=', userId).execute();
}
