// Records what readers view. The first report of a reader's browser creates a view. The rate of new
// views is limited for each network and each link, so that requests cannot fill the database. A
// reader over the limit can still read the document; the browser's next report tries again to
// create the view. Reports contain totals: the largest total counts.
import { LRUCache } from 'lru-cache';
import { type Clock, secondMs } from '../../base/clock.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { roomViewIdOf, viewIdOf } from '../../base/crypto/view-id.ts';
import { type ErrorCode, Failure, fail, invalid } from '../../base/errors/errors.ts';
import { countedWarning } from '../../base/limits/counted-warning.ts';
import { isForeignKeyViolation, transact } from '../../storage/database.ts';
import type { Database, Executor } from '../../storage/schema/schema.ts';
import { createThrottle, steadyLimit, type ThrottleLimit } from '../../storage/throttle.ts';
import type { Reader } from '../gate/gate.ts';
import type { LinkNotices } from '../notices/notices.ts';
import { hasViewIn, isCountedReader } from '../queries/counted-readers.ts';
import type { Quotas } from '../quotas/quotas.ts';
import { countDownload, hasView, insertView, type NewView } from './store.ts';
import type { ViewRecorder } from './view-recorder.ts';

const limits = {
  // One network, on all links: 120 at once, then 2,880 a day. It may be an office.
  network: {
    free: 120,
    firstWaitMs: 30 * secondMs,
    waitMsMax: 30 * secondMs,
    forgetMs: 30 * secondMs,
  },
  // One link, on all networks: 1,000 at once, then 43,200 a day.
  link: steadyLimit(1_000, 2 * secondMs),
} as const satisfies Record<string, ThrottleLimit>;

/** The view of the document that a reader has open. */
const viewIdOfReader = ({ accessSession, link, documentId, version }: Reader) =>
  link.folder_id === null
    ? viewIdOf(accessSession, version)
    : roomViewIdOf(accessSession, documentId, version);

export type NewViews = {
  /** Creates the reader's view unless it exists. Returns the error if a limit prevents that. */
  ensure(reader: Reader): Promise<Failure | undefined>;
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

  async function create(
    row: NewView & { readonly version: number },
    { link, network, accessSession }: Reader,
  ): Promise<void> {
    const counted = [throttle.counter('network', network), throttle.counter('link', link.id)];
    await throttle.check(counted);
    const insert = async (trx: Executor) => {
      await quotas.add(trx, link.workspace_id, { views: 1 });
      // Reports of the reader's other tabs wait for the quota's lock, so this check is safe.
      if (await hasView(trx, row.id)) throw new ViewExists();
      await throttle.countIn(trx, counted);
      const isInRoom = link.folder_id !== null && (await hasViewIn(trx, accessSession.viewId));
      // A reader who was counted keeps access, and opens another version with another view.
      const isCounted =
        isInRoom || (link.view_limit !== null && (await isCountedReader(trx, link, accessSession)));
      const refusal = await insertView(trx, row, { isInRoom, isLimited: !isCounted });
      if (refusal !== undefined) throw refusal === 'no link' ? noSuchLink() : noMoreViews();
      if (!isInRoom) await notices.note(trx, link, row.id);
    };
    await quotas.inTurn(link.workspace_id, () => transact(db, insert));
  }

  return {
    async ensure(reader) {
      const { accessSession, link, documentId, version } = reader;
      const { startMs, program } = accessSession;
      const id = viewIdOfReader(reader);
      const isRoom = link.folder_id !== null;
      if (await hasView(db, id)) return undefined;
      const row = {
        id,
        link_id: link.id,
        document_id: documentId,
        version,
        email: accessSession.email,
        email_verified: accessSession.emailVerified ? (1 as const) : (0 as const),
        // A reader of a later version, or of a document of a room, does not pass the gate again.
        create_time: version === 1 && !isRoom && program === undefined ? startMs : now(),
        duration_ms: 0,
        agreement_id: accessSession.agreement?.id ?? '',
        acting_client_id: program?.id ?? '',
        acting_client_name: program?.name ?? '',
        ...(isRoom ? { access_id: accessSession.viewId } : {}),
      };
      try {
        await create(row, reader);
        return undefined;
      } catch (error) {
        if (error instanceof ViewExists) return undefined;
        if (error instanceof Failure && refusals.has(error.code)) return error;
        // The link was deleted with its document during this call.
        throw isForeignKeyViolation(error) ? noSuchLink() : error;
      }
    },
  };
}

export type ViewReport = {
  readonly visit: string;
  /** Milliseconds by page. Page 0 is the time that belongs to no page. */
  readonly pages: ReadonlyMap<number, number>;
};

export type ReaderViews = {
  /**
   * Accepts a report of a reader's browser. The first report creates the view, if the link still
   * shows its version. If there are too many new views, the report is dropped. Throws
   * `invalid_argument` if the durations exceed the time since the link was opened.
   */
  report(reader: Reader, report: ViewReport, isShown: boolean): Promise<void>;
  /**
   * Creates the view of a reader who gets bytes of the file. Fails only if the link has a view
   * limit, because then no bytes may be sent without a view. Other errors are logged.
   */
  recordOpening(reader: Reader): Promise<void>;
  /**
   * Counts a download of a reader, and creates the view unless it exists. Within a minute, the
   * downloads of a view count once. Fails like `recordOpening`.
   */
  recordDownload(reader: Reader): Promise<void>;
};

export type ReaderViewsOptions = {
  readonly db: Database;
  readonly recorder: ViewRecorder;
  readonly newViews: NewViews;
  readonly now: Clock;
  readonly warn: (facts: object, message: string) => void;
};

/** Browsers and download managers repeat requests. */
const repeatedMs = 60_000;

/** The views whose last record is remembered, because a reader loads a file in many ranges. */
const rememberedMax = 10_000;

/** How far the browser's clock may run ahead of the server's within an access session. */
const driftMs = 5_000;

export function createReaderViews(options: ReaderViewsOptions): ReaderViews {
  const { db, recorder, newViews, now, warn } = options;
  const opened = new LRUCache<string, true>({ max: rememberedMax });
  const warnOfLimit = countedWarning((unrecorded) =>
    warn({ unrecorded }, 'readers opened documents without a view, because of a limit'),
  );
  const downloaded = new LRUCache<string, number>({ max: rememberedMax });

  /** Returns whether the reader's view exists now. Throws if the link has a view limit. */
  async function ensureView(reader: Reader): Promise<boolean> {
    const viewId = viewIdOfReader(reader);
    if (opened.has(viewId)) return true;
    const refusal = await newViews.ensure(reader);
    if (refusal === undefined) opened.set(viewId, true);
    else if (hasLimit(reader)) throw refusal;
    else warnOfLimit();
    return refusal === undefined;
  }

  async function record(reader: Reader, problem: string, work: () => Promise<void>) {
    try {
      await work();
    } catch (err) {
      if (hasLimit(reader)) throw err;
      warn({ err }, problem);
    }
  }

  return {
    async report(reader, { visit, pages }, isShown) {
      const { startMs } = reader.accessSession;
      const viewId = viewIdOfReader(reader);
      const claimedMs = [...pages.values()].reduce((sum, durationMs) => sum + durationMs, 0);
      if (claimedMs > now() - startMs + driftMs) {
        throw invalid('pages', 'must not exceed the time since the link was opened');
      }
      if (isShown ? (await newViews.ensure(reader)) !== undefined : !(await hasView(db, viewId))) {
        return;
      }
      recorder.record(
        [...pages]
          .filter(([, duration_ms]) => duration_ms > 0)
          .map(([page, duration_ms]) => ({ view_id: viewId, visit, page, duration_ms })),
      );
    },

    recordOpening: (reader) =>
      record(reader, 'cannot record a view', async () => {
        await ensureView(reader);
      }),

    recordDownload(reader) {
      const viewId = viewIdOfReader(reader);
      const time = now();
      const since = time - repeatedMs;
      return record(reader, 'cannot record a download', async () => {
        if (!(await ensureView(reader)) || (downloaded.get(viewId) ?? -Infinity) > since) return;
        downloaded.set(viewId, time);
        await transact(db, (trx) => countDownload(trx, viewId, { time, since }));
      });
    },
  };
}

const hasLimit = ({ link }: Reader) => link.view_limit !== null;

/** Errors of the throttle, of the quota and of the link's limit. */
const refusals: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'conflict', 'gone']);

/** Rolls the transaction back. */
class ViewExists extends Error {}

const noSuchLink = () => fail('not_found', 'The link does not exist.');

const noMoreViews = () => fail('gone', 'The link has reached its view limit.');

const tooMany = () => fail('rate_limited', 'Too many new views.');
