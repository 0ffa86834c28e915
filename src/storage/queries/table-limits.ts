// Limits the number of rows of small tables.
import { fail } from '../../base/errors/errors.ts';
import type { Executor, RevisionRow } from '../schema/schema.ts';
import { countRows } from './row-counts.ts';
import { lockRow } from './row-locks.ts';

type LimitedTable = 'audiences' | 'identity_providers' | 'trusted_issuers';

/**
 * The function throws `conflict` if the table has `max` rows. No other transaction inserts one
 * until its transaction ends: `lock` is a row of `revisions`.
 */
export const limitRows =
  (table: LimitedTable, max: number, lock: RevisionRow['name']) =>
  async (trx: Executor): Promise<void> => {
    await lockRow(trx, 'revisions', 'name', lock);
    if ((await countRows(trx.selectFrom(table))) < max) return;
    throw fail('conflict', `There are already ${max} ${table.replace('_', ' ')}.`);
  };
