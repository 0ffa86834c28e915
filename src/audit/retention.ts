// Deletes audit events that are older than the retention period. If the clock jumps ahead, nothing
// is deleted at first: see docs/decisions/0016. Resources that users deleted are kept likewise.
import { type Clock, dayMs, hourMs } from '../base/clock.ts';
import { transact } from '../storage/database.ts';
import type { Database } from '../storage/schema/schema.ts';
import { deleteOldest } from '../storage/upkeep/delete-oldest.ts';
import type { RetentionRule } from '../storage/upkeep/retention.ts';
import { findNewestTime, readRetentionTime, writeRetentionTime } from './store.ts';

/** How much faster than real time the trusted time may follow the clock. */
const catchUpFactor = 24;
/** A longer time since the last round counts as an hour: another process deleted events. */
const elapsedMsMax = hourMs;
const warnMs = 2 * dayMs;

export type TrustedTimeOptions = {
  readonly db: Database;
  readonly now: Clock;
  /** Counts milliseconds and never jumps. */
  readonly monotonicNow?: () => number;
  readonly warn: (facts: object, message: string) => void;
};

/** The time of the clock, unless it has jumped ahead. One for all rules of a process. */
export function createTrustedTime(options: TrustedTimeOptions): () => Promise<number> {
  const { db, now, warn, monotonicNow = () => performance.now() } = options;
  let lastRound = monotonicNow();
  let lastWarning = Number.NEGATIVE_INFINITY;

  return async () => {
    const roundTime = monotonicNow();
    const elapsedMs = Math.min(roundTime - lastRound, elapsedMsMax);
    const clock = now();
    const time = await transact(db, async (trx) => {
      const before = (await readRetentionTime(trx)) ?? (await findNewestTime(trx)) ?? clock;
      const next = Math.min(clock, Math.ceil(before + elapsedMs * catchUpFactor));
      await writeRetentionTime(trx, next);
      return next;
    });
    lastRound = roundTime;
    if (clock - time > warnMs && roundTime - lastWarning >= hourMs) {
      lastWarning = roundTime;
      const facts = { clock: textOf(clock), trusted: textOf(time) };
      warn(facts, 'the clock is far ahead of its last known time; old and deleted rows are kept');
    }
    return time;
  };
}

export type AuditRetentionOptions = {
  readonly days: number;
  readonly trustedTime: () => Promise<number>;
};

export function auditRetention({ days, trustedTime }: AuditRetentionOptions): RetentionRule {
  return {
    rows: 'audit_events',
    async begin() {
      const before = (await trustedTime()) - days * dayMs;
      const events = { table: 'audit_events', key: 'id', time: 'create_time' } as const;
      return (trx, limit) => deleteOldest(trx, events, { before }, limit);
    },
  };
}

const textOf = (time: number) => new Date(time).toISOString();
