// The first report of a reader's browser creates a view. The rate of new views is limited for each
// network and each link, so that requests cannot fill the database. A reader over the limit can
// still read the document; the browser's next report tries again to create the view.
import type { Clock } from '../../base/clock.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { viewIdOf } from '../../base/crypto/view-id.ts';
import { type ErrorCode, Failure, fail } from '../../base/errors/errors.ts';
import { isForeignKeyViolation, transact } from '../../storage/database.ts';
import type { Database, Executor, LinkRow } from '../../storage/schema.ts';
import { createThrottle, type ThrottleLimit } from '../../storage/throttle.ts';
import type { AccessSession } from '../gate/access-session.ts';
import type { LinkNotices } from '../notices/notices.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { hasView, insertView, type NewView } from './store.ts';

const second = 1_000;

const limits = {
  // One network, on all links: 120 at once, then 2,880 a day. It may be an office.
  network: {
    free: 120,
    firstWaitMs: 30 * second,
    waitMsMax: 30 * second,
    forgetMs: 30 * second,
  },
  // One link, on all networks: 1,000 at once, then 43,200 a day.
  link: { free: 1_000, firstWaitMs: 2 * second, waitMsMax: 2 * second, forgetMs: 2 * second },
} as const satisfies Record<string, ThrottleLimit>;

export type Reader = {
  readonly accessSession: AccessSession;
  readonly link: LinkRow;
  /** The version of the document that the browser shows. */
  readonly version: number;
  readonly network: string;
};

export type NewViews = {
  /** Creates the reader's view unless it exists. False if a limit prevents that. */
  ensure(reader: Reader): Promise<boolean>;
};

export type NewViewsOptions = {
  readonly db: Database;
  readonly quotas: Quotas;
  readonly notices: Pick<LinkNotices, 'note'>;
  readonly keys: DerivedKeys;
  readonly now: Clock;
};

export function createNewViews({ db, quotas, notices, keys, now }: NewViewsOptions): NewViews {
  const throttle = createThrottle({ db, keys, limits, refusal: tooMany, now });

  async function create(row: NewView, { link, network }: Reader): Promise<void> {
    const counted = [throttle.counter('network', network), throttle.counter('link', link.id)];
    await throttle.check(counted);
    const insert = async (trx: Executor) => {
      await quotas.add(trx, link.workspace_id, { views: 1 });
      // Reports of the reader's other tabs wait for the quota's lock, so this check is safe.
      if (await hasView(trx, row.id)) throw new ViewExists();
      await throttle.countIn(trx, counted);
      if (!(await insertView(trx, row))) throw noSuchLink();
      await notices.note(trx, link);
    };
    await quotas.inTurn(link.workspace_id, () => transact(db, insert));
  }

  return {
    async ensure(reader) {
      const { accessSession, link, version } = reader;
      const id = viewIdOf(accessSession, version);
      if (await hasView(db, id)) return true;
      const row = {
        id,
        link_id: link.id,
        document_id: link.document_id,
        version,
        email: accessSession.email,
        email_verified: accessSession.emailVerified ? (1 as const) : (0 as const),
        // A reader of a later version does not pass the gate again.
        create_time: version === 1 ? accessSession.startMs : now(),
        duration_ms: 0,
      };
      try {
        await create(row, reader);
        return true;
      } catch (error) {
        if (error instanceof ViewExists) return true;
        if (error instanceof Failure && refusals.has(error.code)) return false;
        // The link was deleted with its document during this call.
        throw isForeignKeyViolation(error) ? noSuchLink() : error;
      }
    },
  };
}

const refusals: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'conflict']);

/** Rolls the transaction back. */
class ViewExists extends Error {}

const noSuchLink = () => fail('not_found', 'The link does not exist.');

const tooMany = () => fail('rate_limited', 'Too many new views.');
