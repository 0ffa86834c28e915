// A view begins with the first report of a reader's browser. New views are limited for each network
// and each link, so that requests alone cannot fill the database. The reader is not refused: the
// document stays open, and a browser whose view was not recorded reports again.
import type { Clock } from '../../clock.ts';
import { type ErrorCode, Failure, fail } from '../../errors/errors.ts';
import { isMissingReference, transact } from '../../storage/database.ts';
import { everyMs } from '../../storage/every.ts';
import type { Database, LinkRow, ViewRow } from '../../storage/schema.ts';
import { createThrottle, type ThrottleLimit } from '../../storage/throttle.ts';
import type { AccessSession } from '../gate/access-session.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { hasView, insertView } from './store.ts';

const second = 1_000;
const sweepEveryMs = 60 * second;

const limits = {
  // One network, on all links. It may be an office at a presentation. Then 2,880 a day.
  network: {
    free: 120,
    firstWaitMs: 30 * second,
    waitMsMax: 30 * second,
    forgetMs: 30 * second,
  },
  // Many networks on one link. Then 43,200 a day.
  link: { free: 1_000, firstWaitMs: 2 * second, waitMsMax: 2 * second, forgetMs: 2 * second },
} as const satisfies Record<string, ThrottleLimit>;

/** The reader whose browser reports. */
export type Reader = {
  readonly accessSession: AccessSession;
  readonly link: LinkRow;
  readonly network: string;
};

export type NewViews = {
  /** Creates the reader's view unless it exists. False if a limit prevents that. */
  ensure(reader: Reader): Promise<boolean>;
};

export type NewViewsOptions = {
  readonly db: Database;
  readonly quotas: Quotas;
  /** 32 bytes. */
  readonly key: Uint8Array;
  readonly now: Clock;
};

export function createNewViews({ db, quotas, key, now }: NewViewsOptions): NewViews {
  const throttle = createThrottle({ db, key, limits, refusal: tooMany, now });

  /** Old counters are deleted when new ones are created. */
  const sweep = everyMs(sweepEveryMs, now, () => transact(db, throttle.sweep));

  async function begin(row: ViewRow, { link, network }: Reader): Promise<void> {
    await sweep();
    const counted = [throttle.counter('network', network), throttle.counter('link', link.id)];
    await throttle.check(counted);
    await transact(db, async (trx) => {
      await quotas.add(trx, link.workspace_id, { views: 1 });
      // The quota's lock is held, so that other tabs of the reader wait here.
      if (await hasView(trx, row.id)) throw new AlreadyBegun();
      await throttle.countIn(trx, counted);
      await insertView(trx, row);
    });
  }

  return {
    async ensure(reader) {
      const { accessSession, link } = reader;
      if (await hasView(db, accessSession.viewId)) return true;
      const row: ViewRow = {
        id: accessSession.viewId,
        link_id: link.id,
        email: accessSession.email,
        email_verified: accessSession.emailVerified ? 1 : 0,
        create_time: accessSession.startMs,
        duration_ms: 0,
      };
      try {
        await begin(row, reader);
        return true;
      } catch (error) {
        if (error instanceof AlreadyBegun) return true;
        if (error instanceof Failure && refusals.has(error.code)) return false;
        // The link was deleted with its document in the meantime.
        throw isMissingReference(error) ? fail('not_found', 'The link does not exist.') : error;
      }
    },
  };
}

/** Of the counters and of the quota. */
const refusals: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'conflict']);

/** Rolls the transaction back. */
class AlreadyBegun extends Error {}

const tooMany = () => fail('rate_limited', 'Too many new views.');
