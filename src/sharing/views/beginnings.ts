// How a view begins: with the first report of a reader's page. New views are limited, for each
// network and each link, so that requests alone cannot fill the database. Nothing is refused to the
// reader: the document is open, and a page whose view was not recorded reports again.
import { createHmac } from 'node:crypto';
import { type ErrorCode, Failure, fail } from '../../errors/errors.ts';
import { createCounters, type Lane } from '../../storage/counters.ts';
import { isMissingReference, transact } from '../../storage/database.ts';
import { everyMs } from '../../storage/every.ts';
import type { Database, LinkRow, ViewRow } from '../../storage/schema.ts';
import type { AccessSession } from '../gate/access-session.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { hasView, insertView } from './store.ts';

const second = 1_000;
const sweepEveryMs = 60 * second;

const lanes = {
  // One network, on all links. It may be an office at a presentation. Then 2,880 a day.
  network: {
    free: 120,
    firstWaitMs: 30 * second,
    waitMsMax: 30 * second,
    forgetMs: 30 * second,
  },
  // Many networks on one link. Then 43,200 a day.
  link: { free: 1_000, firstWaitMs: 2 * second, waitMsMax: 2 * second, forgetMs: 2 * second },
} as const satisfies Record<string, Lane>;

/** Whose page reports. */
export type Reader = {
  readonly pass: AccessSession;
  readonly link: LinkRow;
  readonly network: string;
};

export type Beginnings = {
  /** Makes the view of the reader's pass unless it exists. False where it was not recorded. */
  ensure(reader: Reader): Promise<boolean>;
};

export type BeginningsOptions = {
  readonly db: Database;
  readonly quotas: Quotas;
  /** 32 bytes: what is counted is stored as digests that only its holder can make. */
  readonly key: Uint8Array;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export function createBeginnings({ db, quotas, key, now }: BeginningsOptions): Beginnings {
  const counters = createCounters({ db, table: 'gate_counters', refusal: tooMany, now });
  const counter = (lane: keyof typeof lanes, ...parts: string[]) => ({
    lane: lanes[lane],
    key: createHmac('sha256', key)
      .update(JSON.stringify([lane, ...parts]))
      .digest('base64url'),
  });

  /** Rows come with views, and go with them. */
  const sweep = everyMs(sweepEveryMs, now, () => transact(db, counters.sweep));

  async function begin(row: ViewRow, { link, network }: Reader): Promise<void> {
    await sweep();
    const counted = [counter('network', network), counter('link', link.id)];
    await counters.check(counted);
    await transact(db, async (trx) => {
      await quotas.add(trx, link.workspace_id, { views: 1 });
      // Others that count for the workspace wait: the page's other tabs, too.
      if (await hasView(trx, row.id)) throw new AlreadyBegun();
      await counters.countIn(trx, counted);
      await insertView(trx, row);
    });
  }

  return {
    async ensure(reader) {
      const { pass, link } = reader;
      if (await hasView(db, pass.viewId)) return true;
      const row: ViewRow = {
        id: pass.viewId,
        link_id: link.id,
        email: pass.email,
        email_verified: pass.emailVerified ? 1 : 0,
        create_time: pass.startMs,
        duration_ms: 0,
      };
      try {
        await begin(row, reader);
        return true;
      } catch (error) {
        if (error instanceof AlreadyBegun) return true;
        if (error instanceof Failure && refusals.has(error.code)) return false;
        // The link was deleted with its document in the meantime.
        throw isMissingReference(error) ? fail('not_found', 'There is no such link.') : error;
      }
    },
  };
}

/** Of the counters and of the quota. */
const refusals: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'conflict']);

/** Undoes what the transaction has counted. */
class AlreadyBegun extends Error {}

const tooMany = () => fail('rate_limited', 'There are too many new views.');
