import type { Executor } from '../../storage/schema.ts';

const name = 'staff';

/** Keeps an earlier time, and returns the one that is kept. */
export async function insertStaffRule(trx: Executor, since: number): Promise<number> {
  await trx
    .insertInto('staff_factor_rule')
    .values({ name, since })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await findStaffRule(trx)) ?? since;
}

export async function findStaffRule(db: Executor): Promise<number | undefined> {
  const row = await db.selectFrom('staff_factor_rule').select('since').executeTakeFirst();
  return row?.since;
}

export async function deleteStaffRule(trx: Executor): Promise<void> {
  await trx.deleteFrom('staff_factor_rule').execute();
}

/** Whether the user can sign in with a second factor. A code needs a password. */
export async function hasSecondFactor(trx: Executor, userId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('passkeys')
    .select('user_id')
    .where('user_id', '=', userId)
    .union(
      trx
        .selectFrom('totp_seeds')
        .innerJoin('users', 'users.id', 'totp_seeds.user_id')
        .select('user_id')
        .where('user_id', '=', userId)
        .where('confirm_time', 'is not', null)
        .where('password_hash', '<>', ''),
    )
    .executeTakeFirst();
  return row !== undefined;
}
