// Tokens that were revoked before their time, kept until they would have expired. There is no row
// for any other token.
import { type Changes, recordChange } from '../../storage/changes.ts';
import type { Database, Executor } from '../../storage/schema.ts';
import { deleteExpired, findRevoked, insertRevoked } from './store.ts';

export type Revocations = {
  has(jti: string): boolean;
  /** Revokes a token that expires at `exp`, in seconds since 1970, in a transaction of `change`. */
  revoke(jti: string, exp: number, change: MakeChange): Promise<void>;
};

/** Runs its argument in a transaction. */
type MakeChange = (work: (trx: Executor) => Promise<void>) => Promise<void>;

export type RevocationsOptions = {
  readonly db: Database;
  readonly changes: Changes;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export async function openRevocations(options: RevocationsOptions): Promise<Revocations> {
  const { db, changes, now } = options;
  let revoked = await findRevoked(db, now());
  changes.onChange('revoked_tokens', async () => {
    revoked = await findRevoked(db, now());
  });
  return {
    has: (jti) => revoked.has(jti),
    async revoke(jti, exp, change) {
      await change(async (trx) => {
        await deleteExpired(trx, now());
        await insertRevoked(trx, jti, exp * 1000);
        await recordChange(trx, 'revoked_tokens');
      });
      await changes.announce('revoked_tokens');
    },
  };
}
