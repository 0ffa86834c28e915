// When something was last seen, by its digest: the network of a user, or a verified address.

import type { Executor } from '../schema/schema.ts';
import { hasRow } from './row-counts.ts';

type SeenTable = 'familiar_networks' | 'verified_addresses';

/** Returns whether one of the keys was seen at `since` or later. */
export const wasSeen = (
  db: Executor,
  table: SeenTable,
  keys: readonly string[],
  since: number,
): Promise<boolean> =>
  hasRow(db.selectFrom(table).where('key', 'in', keys).where('last_time', '>=', since));

export async function noteSeen(
  trx: Executor,
  table: SeenTable,
  key: string,
  now: number,
): Promise<void> {
  await trx
    .insertInto(table)
    .values({ key, last_time: now })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ last_time: now }))
    .execute();
}
