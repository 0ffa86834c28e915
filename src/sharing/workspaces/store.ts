import type { Insertable } from 'kysely';
import { compileOnce, type QueryParameters } from '../../storage/compiled-query.ts';
import { selectNewestFirst } from '../../storage/newest-first.ts';
import type { PageQuery } from '../../storage/page-token.ts';
import type { Executor, MemberRow, UserRow, WorkspaceRow } from '../../storage/schema.ts';

export async function insertWorkspace(db: Executor, row: Insertable<WorkspaceRow>): Promise<void> {
  await db.insertInto('workspaces').values(row).execute();
}

const selectWorkspace = compileOnce((db, { id }: QueryParameters<{ id: string }>) =>
  db.selectFrom('workspaces').selectAll().where('id', '=', id),
);

export async function findWorkspace(db: Executor, id: string): Promise<WorkspaceRow | undefined> {
  return (await selectWorkspace(db, { id })).rows[0];
}

/** Returns one row more than the page has, if there are more. `userId` selects a member's. */
export function findWorkspaces(
  db: Executor,
  userId: string | undefined,
  page: PageQuery,
): Promise<WorkspaceRow[]> {
  let query = db.selectFrom('workspaces').selectAll();
  if (userId !== undefined) {
    query = query.where('id', 'in', (eb) =>
      eb.selectFrom('members').select('workspace_id').where('user_id', '=', userId),
    );
  }
  return selectNewestFirst(query, page).execute();
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

/** A member with columns of the user. `id` is the user's id. */
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

/** Returns one row more than the page has, if there are more. */
export function findMembers(
  db: Executor,
  workspaceId: string,
  page: PageQuery,
): Promise<MemberUser[]> {
  const members = selectMembers(db).where('members.workspace_id', '=', workspaceId).as('members');
  return selectNewestFirst(db.selectFrom(members).selectAll(), page).execute();
}

export async function putMember(db: Executor, row: MemberRow): Promise<void> {
  await db
    .insertInto('members')
    .values(row)
    .onConflict((oc) => oc.columns(['workspace_id', 'user_id']).doUpdateSet({ role: row.role }))
    .execute();
}

export async function deleteMember(
  db: Executor,
  workspaceId: string,
  userId: string,
): Promise<void> {
  await db
    .deleteFrom('members')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute();
}

export async function hasWorkspaceOwner(db: Executor, workspaceId: string): Promise<boolean> {
  const row = await db
    .selectFrom('members')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'owner')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the roles of an enabled user of kind `member`. */
export function findRoles(
  db: Executor,
  userId: string,
): Promise<Pick<MemberRow, 'workspace_id' | 'role'>[]> {
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['members.workspace_id', 'members.role'])
    .where('users.id', '=', userId)
    .where('users.kind', '=', 'member')
    .where('users.disable_time', 'is', null)
    .execute();
}

/** Returns all roles of a user, even if the user is disabled. */
export function findAllRoles(db: Executor, userId: string): Promise<Pick<MemberRow, 'role'>[]> {
  return db.selectFrom('members').select('role').where('user_id', '=', userId).execute();
}
