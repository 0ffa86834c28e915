// Records when the setting that requires a second factor of staff was turned on, so that restarts
// do not extend the grace period.
import { type Clock, dayMs } from '../../base/clock.ts';
import { transact } from '../../storage/database.ts';
import type { Database } from '../../storage/schema/schema.ts';
import { deleteStaffRule, findStaffRule, insertStaffRule } from './store.ts';

export type StaffRuleOptions = {
  readonly db: Database;
  readonly isRequired: boolean;
  readonly graceDays: number;
  readonly now: Clock;
};

/**
 * Returns when staff begin to need a second factor; undefined if they do not. Writes only after a
 * change of the setting, so that a start on a full disk succeeds.
 */
export async function openStaffRule(options: StaffRuleOptions): Promise<number | undefined> {
  const { db, isRequired, graceDays, now } = options;
  const stored = await findStaffRule(db);
  if (!isRequired) {
    if (stored !== undefined) await transact(db, deleteStaffRule);
    return undefined;
  }
  const since = stored ?? (await transact(db, (trx) => insertStaffRule(trx, now())));
  return since + graceDays * dayMs;
}
