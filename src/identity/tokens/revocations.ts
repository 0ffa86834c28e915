// Tokens that were revoked before they expired. A row is kept until its token would have expired.
// Each process caches all rows and reads only new ones.
import type { Clock } from '../../clock.ts';
import { incrementRevision } from '../../storage/database.ts';
import type { Invalidations } from '../../storage/invalidation.ts';
import type { Database, Executor } from '../../storage/schema.ts';
import { deleteExpiredRevocations, findTokensRevokedAfter, insertRevokedToken } from './store.ts';

export type Revocations = {
  /**
   * Returns whether a token is revoked. Throws `unavailable` if the database could not be read for
   * 5 seconds.
   */
  has(jti: string): Promise<boolean>;
  /**
   * Revokes a token that expires at `exp`, in seconds since 1970. `change` runs the transaction.
   */
  revoke(jti: string, exp: number, change: MakeChange): Promise<void>;
};

/** Runs `work` in a transaction. */
type MakeChange = (work: (trx: Executor) => Promise<void>) => Promise<void>;

export type RevocationsOptions = {
  readonly db: Database;
  readonly invalidations: Invalidations;
  readonly now: Clock;
};

/**
 * The maximum difference between the clocks of two processes. A row is kept this much longer, so
 * that no process deletes it while another still needs it.
 */
const skewMaxMs = 300_000;

const tidyEveryMs = 60_000;

export async function openRevocations(options: RevocationsOptions): Promise<Revocations> {
  const { db, invalidations, now } = options;
  const expireTimes = new Map<string, number>();
  let known = 0;
  let lastTidyTime = now();

  async function readNew(): Promise<void> {
    for (const { jti, expire_time, revision } of await findTokensRevokedAfter(db, known)) {
      expireTimes.set(jti, expire_time);
      known = Math.max(known, revision);
    }
    if (Math.abs(now() - lastTidyTime) >= tidyEveryMs) tidy();
  }
  function tidy(): void {
    lastTidyTime = now();
    for (const [jti, expireTime] of expireTimes) {
      if (expireTime <= lastTidyTime - skewMaxMs) expireTimes.delete(jti);
    }
  }
  invalidations.onInvalidation('revoked_tokens', readNew);
  await readNew();

  return {
    async has(jti) {
      const refresh = invalidations.ensureFresh();
      if (refresh !== undefined) await refresh;
      return expireTimes.has(jti);
    },
    async revoke(jti, exp, change) {
      const expireTime = exp * 1000;
      await change(async (trx) => {
        // Raises the revision first, which makes the next revocation wait for this commit.
        // Revisions are thus committed in order, and a process that has read one revision has
        // missed none before it.
        const revision = await incrementRevision(trx, 'revoked_tokens');
        await deleteExpiredRevocations(trx, now() - skewMaxMs);
        await insertRevokedToken(trx, { jti, expire_time: expireTime, revision });
      });
      expireTimes.set(jti, expireTime);
    },
  };
}
