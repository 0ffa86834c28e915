import { sql } from 'kysely';
import { type List, type ListPage, readList } from '../../storage/queries/list.ts';
import type { ListQuery } from '../../storage/queries/list-request.ts';
import { hasRow } from '../../storage/queries/row-counts.ts';
import type { SearchTable } from '../../storage/queries/search.ts';
import { deleteBy, findBy, insertInto, updateBy } from '../../storage/queries/table-queries.ts';
import type { Executor, TotpSeedRow, UserRow } from '../../storage/schema/schema.ts';

export type User = UserRow & {
  readonly totp_confirm_time: number | null;
  readonly recovery_codes_left: number;
};

const totpConfirmTime = sql<number | null>`(
  select confirm_time from totp_seeds where totp_seeds.user_id = users.id
)`;

const recoveryCodesLeft = sql<number>`(
  select cast(count(*) as integer) from recovery_codes where recovery_codes.user_id = users.id
)`;

const selectUsers = (db: Executor) =>
  db
    .selectFrom('users')
    .selectAll('users')
    .select([totpConfirmTime.as('totp_confirm_time'), recoveryCodesLeft.as('recovery_codes_left')]);

export const insertUser = insertInto('users');

export function findUser(db: Executor, id: string): Promise<User | undefined> {
  return selectUsers(db).where('id', '=', id).executeTakeFirst();
}

/** `email` must be in lower case. */
export function findUserByEmail(db: Executor, email: string): Promise<User | undefined> {
  return selectUsers(db).where('email', '=', email).executeTakeFirst();
}

export type UserFilter = {
  readonly email: string | undefined;
  readonly kind: UserRow['kind'] | undefined;
  readonly showDeleted?: boolean;
};

export const userList = {
  sorts: { create_time: 'number', name: 'text', email: 'text' },
  searches: ['name', 'email', 'id'],
} as const satisfies List;

export const userSearch: SearchTable = {
  table: 'users',
  idPrefix: 'usr',
  texts: ['name', 'email'],
  where: () => sql`delete_time is null and purge_time is null`,
};

export function findUsers(
  db: Executor,
  { email, kind, showDeleted = false }: UserFilter,
  query: ListQuery,
): Promise<ListPage<User>> {
  // The rows of erased users stay for the ids in other rows.
  let users = selectUsers(db).where('purge_time', 'is', null);
  if (!showDeleted) users = users.where('delete_time', 'is', null);
  if (email !== undefined) users = users.where('email', '=', email);
  if (kind !== undefined) users = users.where('kind', '=', kind);
  return readList(db, users, userList, query);
}

export type UserChange = Partial<Omit<UserRow, 'id' | 'kind' | 'create_time' | 'creator_id'>>;

export const updateUser = updateBy('users', 'id');

export function hasStaffWithScope(db: Executor, scope: string): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('users')
      .where('kind', '=', 'staff')
      .where('disable_time', 'is', null)
      .where(sql`' ' || scopes || ' '`, 'like', `% ${scope} %`),
  );
}

/** Marks the password of the user as one of `recover-staff`, which works if passwords are off. */
export async function markRecoveryPassword(
  trx: Executor,
  row: { user_id: string; password_hash: string },
): Promise<void> {
  await trx
    .insertInto('recovery_passwords')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute();
}

export const findSeed = findBy('totp_seeds', 'user_id');

/** Stores a seed unless a confirmed one exists. Returns whether it was stored. */
export async function replaceUnconfirmedSeed(db: Executor, row: TotpSeedRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('totp_seeds')
    .values(row)
    .onConflict((oc) =>
      oc.column('user_id').doUpdateSet(row).where('totp_seeds.confirm_time', 'is', null),
    )
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/**
 * Confirms the seed that a code was checked against; `step` is the time step of the code. Returns
 * false if the seed has been replaced, removed or confirmed since it was read. Deletes the recovery
 * codes: a process of release 0.1 that removed an earlier seed has left them.
 */
export async function confirmSeed(
  db: Executor,
  { user_id, ciphertext }: TotpSeedRow,
  { time, step }: { time: number; step: number },
): Promise<boolean> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', user_id).execute();
  const { numUpdatedRows } = await db
    .updateTable('totp_seeds')
    .set({ confirm_time: time, last_step: step })
    .where('user_id', '=', user_id)
    .where('ciphertext', '=', ciphertext)
    .where('confirm_time', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteSeed(db: Executor, userId: string): Promise<void> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  await db.deleteFrom('totp_seeds').where('user_id', '=', userId).execute();
}

export const deletePasskeys = deleteBy('passkeys', 'user_id');
export const insertPasswordReset = insertInto('password_resets');
export const findPasswordReset = findBy('password_resets', 'id');
export const deletePasswordReset = deleteBy('password_resets', 'id');

/** `email` must be in lower case. */
export function findEnabledUser(db: Executor, email: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('email', '=', email)
    .where('disable_time', 'is', null)
    .executeTakeFirst();
}

export async function replaceRecoveryCodes(
  trx: Executor,
  userId: string,
  digests: readonly string[],
): Promise<void> {
  await trx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  const rows = digests.map((digest) => ({ user_id: userId, digest }));
  await trx.insertInto('recovery_codes').values(rows).execute();
}
