// Tokens that were revoked before they expired. A row is kept until its token would have expired.
// Each process keeps the ids of all rows, and gets new rows from the changes. While it reads all
// rows, it looks up each token in the database.

import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import { fail } from '../../base/errors/errors.ts';
import { tokenSecondsMax } from '../../base/limits/token-seconds.ts';
import type { Invalidations } from '../../storage/cache/invalidation.ts';
import { createLoader } from '../../storage/cache/loader.ts';
import type { Database, Executor } from '../../storage/schema/schema.ts';
import { createThrottle, steadyLimit } from '../../storage/throttle.ts';
import { unannouncedRevision } from '../../storage/upkeep/release-0-1.ts';
import { findRevokedTokens, insertRevokedToken, isTokenRevoked } from './store.ts';

export type Revocations = {
  /** Throws `unavailable` if the database could not be read for 5 seconds. */
  has(jti: string): Promise<boolean>;
  /** `exp` is in seconds since 1970. `change` runs the transaction. */
  revoke(jti: string, exp: number, change: MakeChange): Promise<void>;
  /**
   * Revokes a token whose expiry is not known, for a caller. Throws `rate_limited`: any id is
   * accepted, and each one takes memory in every process.
   */
  revokeId(jti: string, callerId: string, change: MakeChange): Promise<void>;
};

type MakeChange = (work: (trx: Executor) => Promise<void>) => Promise<void>;

export type RevocationsOptions = {
  readonly db: Database;
  readonly invalidations: Invalidations;
  readonly masterKey: Pick<MasterKey, 'derive'>;
  readonly now: Clock;
};

/** Rows stay this much longer, for processes whose clocks are behind. */
export const revocationSkewMsMax = 300_000;

const lifetimeMsMax = tokenSecondsMax * 1_000;

const limits = { caller: steadyLimit(1_000, 1_000) };

/** Parsing a page blocks the event loop for a few milliseconds. */
const pageMax = 2_000;

/** Expired ids are removed when there are more ids than this, and twice as many as before. */
const idsMin = 1_024;

/** Keeps each id at least until its expire time is before `forgetBefore()`, both in ms. */
export function createExpiringIds(forgetBefore: () => number) {
  const expireTimes = new Map<string, number>();
  let idsMax = idsMin;
  return {
    add(id: string, expireTime: number): void {
      expireTimes.set(id, Math.max(expireTime, expireTimes.get(id) ?? 0));
      if (expireTimes.size < idsMax) return;
      const before = forgetBefore();
      for (const [one, time] of expireTimes) if (time < before) expireTimes.delete(one);
      idsMax = Math.max(idsMin, 2 * expireTimes.size);
    },
    has: (id: string) => expireTimes.has(id),
    get size() {
      return expireTimes.size;
    },
  };
}

const tooMany = (retryAfterSeconds: number) =>
  fail('rate_limited', 'Too many revocations by token_id.', { retryAfterSeconds });

export function openRevocations(options: RevocationsOptions): Revocations {
  const { db, invalidations, now } = options;
  const keys = options.masterKey.derive('revocations');
  const throttle = createThrottle({ db, keys, limits, refusal: tooMany, now });
  const revoked = createExpiringIds(() => now() - revocationSkewMsMax);

  async function readAll(): Promise<void> {
    let after = '';
    for (;;) {
      const page = { after, unexpiredAt: now() - revocationSkewMsMax, limit: pageMax };
      const rows = await findRevokedTokens(db, page);
      for (const { jti, expire_time } of rows) revoked.add(jti, expire_time);
      const last = rows.at(-1);
      if (last === undefined || rows.length < pageMax) return;
      after = last.jti;
      // SQLite answers synchronously, so other calls can only run here.
      await setImmediate();
    }
  }
  const loader = createLoader(readAll);
  // If the load fails, the next call tries again.
  const startLoad = () => void loader.load().catch(() => {});
  invalidations.onEviction(({ isComplete, list }) => {
    for (const { entity, entityId, expireTime } of list) {
      if (entity === 'revoked_token') revoked.add(entityId, expireTime ?? Number.MAX_SAFE_INTEGER);
    }
    if (isComplete) return;
    loader.noteChange();
    startLoad();
  });
  startLoad();

  async function add(jti: string, expireTime: number, change: MakeChange): Promise<void> {
    const row = { jti, expire_time: expireTime, revision: unannouncedRevision };
    await change(async (trx) => void (await insertRevokedToken(trx, row)));
    revoked.add(jti, expireTime);
  }

  return {
    async has(jti) {
      const refresh = invalidations.ensureFresh();
      if (refresh !== undefined) await refresh;
      if (revoked.has(jti)) return true;
      if (loader.isCurrent()) return false;
      startLoad();
      return isTokenRevoked(db, jti);
    },
    revoke: (jti, exp, change) => add(jti, exp * 1000, change),
    async revokeId(jti, callerId, change) {
      const counter = throttle.counter('caller', callerId);
      await throttle.check([counter]);
      const counted: MakeChange = (work) =>
        change(async (trx) => {
          await throttle.countIn(trx, [counter]);
          await work(trx);
        });
      await add(jti, now() + lifetimeMsMax, counted);
    },
  };
}
