// Accepts each value once in the deployment.
import { createHash } from 'node:crypto';
import { isUniqueViolation, transact } from '../../storage/database.ts';
import type { Database } from '../../storage/schema.ts';
import { insertUsedAssertion } from './store.ts';

/** False if the value, which `parts` identify, was used before. Remembers it until `expireTime`. */
export type UseOnce = (parts: readonly string[], expireTime: number) => Promise<boolean>;

export function createUseOnce(db: Database): UseOnce {
  return async (parts, expireTime) => {
    const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
    const row = { digest, expire_time: expireTime };
    try {
      await transact(db, (trx) => insertUsedAssertion(trx, row));
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  };
}
