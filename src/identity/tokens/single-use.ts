// Accepts each value once in the deployment.
import { createHash } from 'node:crypto';
import { transact } from '../../storage/database.ts';
import type { Database, Executor } from '../../storage/schema/schema.ts';
import { insertUsedAssertion } from './store.ts';

/**
 * False if the value, which `parts` identify, was used before. Remembers it until `expireTime`;
 * with `trx`, only if that transaction commits.
 */
export type UseOnce = (
  parts: readonly string[],
  expireTime: number,
  trx?: Executor,
) => Promise<boolean>;

export function createUseOnce(db: Database): UseOnce {
  return (parts, expireTime, trx) => {
    const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
    // The times of a JWT may have fractions.
    const row = { digest, expire_time: Math.ceil(expireTime) };
    if (trx !== undefined) return insertUsedAssertion(trx, row);
    return transact(db, (own) => insertUsedAssertion(own, row));
  };
}
