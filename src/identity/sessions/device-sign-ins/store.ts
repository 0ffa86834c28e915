import { hasRow } from '../../../storage/queries/row-counts.ts';
import { findBy, insertUnlessTaken } from '../../../storage/queries/table-queries.ts';
import type { DeviceSignInRow, Executor } from '../../../storage/schema/schema.ts';

const table = 'device_sign_ins';

/** False if another sign-in has the user code. */
export const insertDeviceSignIn = insertUnlessTaken(table, 'user_code');

/** Whether at least so many sign-ins have not expired. */
export function hasDeviceSignIns(db: Executor, count: number, now: number): Promise<boolean> {
  return hasRow(
    db
      .selectFrom(table)
      .where('expire_time', '>', now)
      .offset(count - 1),
  );
}

export const findByDeviceCode = findBy(table, 'digest');
export const findByUserCode = findBy(table, 'user_code');

/**
 * Returns the current row; undefined if the interval since the last call has not passed. A time in
 * the future was set while the clock was ahead.
 */
export function recordPoll(
  trx: Executor,
  id: string,
  now: number,
  intervalMs: number,
): Promise<DeviceSignInRow | undefined> {
  return trx
    .updateTable(table)
    .set({ last_poll_time: now })
    .where('id', '=', id)
    .where((eb) =>
      eb.or([
        eb('last_poll_time', 'is', null),
        eb('last_poll_time', '<=', now - intervalMs),
        eb('last_poll_time', '>', now),
      ]),
    )
    .returningAll()
    .executeTakeFirst();
}

/**
 * False if the sign-in no longer waits for a decision. A session can repeat its decision, and can
 * deny what it has approved.
 */
export async function decideDeviceSignIn(
  trx: Executor,
  id: string,
  state: 'approved' | 'denied',
  sessionId: string,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable(table)
    .set({ state, session_id: sessionId })
    .where('id', '=', id)
    .where((eb) =>
      eb.or([
        eb('state', '=', 'pending'),
        eb.and([eb('session_id', '=', sessionId), eb('state', 'in', ['approved', state])]),
      ]),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** False if the sign-in was used or denied. */
export async function useDeviceSignIn(trx: Executor, id: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable(table)
    .set({ state: 'used' })
    .where('id', '=', id)
    .where('state', '=', 'approved')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
