import { hasRow } from '../../storage/queries/row-counts.ts';
import { insertUnlessTaken } from '../../storage/queries/table-queries.ts';
import type { Executor } from '../../storage/schema/schema.ts';

const name = 'staff';
const insertRule = insertUnlessTaken('staff_factor_rule', 'name');

/** Keeps an earlier time, and returns the one that is kept. */
export async function insertStaffRule(trx: Executor, since: number): Promise<number> {
  await insertRule(trx, { name, since });
  return (await findStaffRule(trx)) ?? since;
}

export async function findStaffRule(db: Executor): Promise<number | undefined> {
  const row = await db.selectFrom('staff_factor_rule').select('since').executeTakeFirst();
  return row?.since;
}

export async function deleteStaffRule(trx: Executor): Promise<void> {
  await trx.deleteFrom('staff_factor_rule').execute();
}

export type SecondFactors = {
  readonly passkey: boolean;
  /** Whether a sign-in with the password asks for a code. */
  readonly code: boolean;
};

export async function secondFactorsOf(trx: Executor, userId: string): Promise<SecondFactors> {
  const passkeys = trx.selectFrom('passkeys').where('user_id', '=', userId);
  const seeds = trx
    .selectFrom('totp_seeds')
    .innerJoin('users', 'users.id', 'totp_seeds.user_id')
    .where('user_id', '=', userId)
    .where('confirm_time', 'is not', null)
    .where('password_hash', '<>', '');
  return { passkey: await hasRow(passkeys), code: await hasRow(seeds) };
}

/** The methods of the sign-in, separated by spaces; none for an unknown session. */
export async function findSessionMethods(trx: Executor, sessionId: string): Promise<string> {
  const session = trx.selectFrom('sessions').select('amr').where('id', '=', sessionId);
  return (await session.executeTakeFirst())?.amr ?? '';
}
