// Mails about views to the users who created the links. The transaction of a view notes it; one
// process of the deployment sends the mails. See docs/decisions/0020.
import { type Clock, dayMs, hourMs, minuteMs } from '../../base/clock.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { Failure, fail } from '../../base/errors/errors.ts';
import type { Mailer } from '../../base/mail/mailer.ts';
import { attemptsMax, retryWaitMs } from '../../base/mail/retries.ts';
import { transact } from '../../storage/database.ts';
import type { Database, Executor, LinkRow } from '../../storage/schema/schema.ts';
import { createThrottle, steadyLimit, type ThrottleLimit } from '../../storage/throttle.ts';
import type { Lease } from '../../storage/upkeep/leases.ts';
import { startPeriodicTask } from '../../storage/upkeep/periodic-task.ts';
import type { Brands } from '../brand/brand.ts';
import { composeViewMail, readersMax } from './mail.ts';
import {
  countReaders,
  type DueNotice,
  findDigest,
  findDueNotice,
  findMemberName,
  findNoticedViews,
  findRecipient,
  noteView,
  postpone,
  subtractViews,
} from './store.ts';

const limits = {
  // One link: at most 10 mails an hour.
  link: steadyLimit(5, 12 * minuteMs),
  // One user, for all links: at most 60 mails an hour.
  recipient: steadyLimit(30, 2 * minuteMs),
} as const satisfies Record<string, ThrottleLimit>;

const mailsMax = 500;

const digestHourUtc = 6;

function nextDigestTime(now: number): number {
  const today = Math.floor(now / dayMs) * dayMs + digestHourUtc * hourMs;
  return today > now ? today : today + dayMs;
}

const dueTimeOf = (now: number) => (notify: LinkRow['notify']) =>
  notify === 'digest' ? nextDigestTime(now) : now;

export type LinkNotices = {
  note(trx: Executor, link: LinkRow, viewId: string): Promise<void>;
  sendDue(signal: AbortSignal): Promise<void>;
};

export type NoticesOptions = {
  readonly db: Database;
  readonly mailer: Mailer;
  readonly brands: Brands;
  readonly publicUrl: string;
  /** The database stores only HMACs of the counted users and links under these keys. */
  readonly keys: DerivedKeys;
  readonly warn: (facts: object, message: string) => void;
  readonly now: Clock;
};

export function startNotices({ lease, ...options }: NoticesOptions & { readonly lease: Lease }) {
  const notices = createNotices(options);
  const task = startPeriodicTask({
    pauseMs: 2_000,
    lease,
    round: (signal) => notices.sendDue(signal),
    onError: (err) => options.warn({ err }, 'cannot send mails about views'),
  });
  return { note: notices.note, task };
}

export function createNotices(options: NoticesOptions): LinkNotices {
  const { db, mailer, brands, publicUrl, keys, warn, now } = options;
  const throttle = createThrottle({ db, keys, limits, refusal: tooMany, now });

  /** Settles the notices as mailed. The mail may be repeated if the process ends before this. */
  function settle(notices: readonly DueNotice[]): Promise<void> {
    return transact(db, async (trx) => {
      for (const notice of notices) {
        await subtractViews(trx, notice, dueTimeOf(now())(notice.notify));
      }
    });
  }

  function delay(notices: readonly DueNotice[], waitMs: number, failures: 0 | 1): Promise<void> {
    return transact(db, async (trx) => {
      for (const notice of notices) {
        const attempts = notice.attempts + failures;
        await postpone(trx, notice, { due_time: now() + waitMs, attempts });
      }
    });
  }

  async function send(first: DueNotice): Promise<void> {
    const { notify, creator_id, workspace_id } = first;
    const recipient =
      notify === '' || creator_id === null
        ? undefined
        : await findRecipient(db, creator_id, workspace_id);
    if (recipient === undefined) return settle([first]);
    const notices = notify === 'digest' ? await findDigest(db, first, now()) : [first];
    if (notices.length === 0) return;
    try {
      if (notify !== 'digest') {
        await throttle.count([
          throttle.counter('link', first.link_id),
          throttle.counter('recipient', recipient.id),
        ]);
      }
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'rate_limited') throw error;
      return delay(notices, (error.extra.retryAfterSeconds ?? 1) * 1_000, 0);
    }
    const links = await Promise.all(
      notices.map(async (notice) => {
        const newest = await findNoticedViews(db, notice, readersMax);
        const readers = await countReaders(db, notice);
        const { email = '' } = newest[0] ?? {};
        const readerName = email === '' ? '' : await findMemberName(db, workspace_id, email);
        return { notice, newest, readers, readerName };
      }),
    );
    const brand = await brands.of(workspace_id);
    try {
      await mailer.send(composeViewMail({ to: recipient.email, brand, publicUrl, links }, brands));
    } catch (err) {
      return handleFailure(notices, err);
    }
    return settle(notices);
  }

  async function handleFailure(notices: readonly DueNotice[], err: unknown): Promise<void> {
    const attempts = Math.max(...notices.map((notice) => notice.attempts)) + 1;
    if (attempts >= attemptsMax) {
      warn({ err, attempts }, 'a mail about views was given up');
      return settle(notices);
    }
    if (attempts === 1) warn({ err }, 'cannot send a mail about views; trying again');
    return delay(notices, retryWaitMs(attempts), 1);
  }

  return {
    async note(trx, { id: linkId, notify }, viewId) {
      if (notify !== '') await noteView(trx, { linkId, viewId }, dueTimeOf(now()));
    },

    async sendDue(signal) {
      for (let mails = 0; mails < mailsMax && !signal.aborted; mails++) {
        const notice = await findDueNotice(db, now());
        if (notice === undefined) return;
        await send(notice);
      }
    },
  };
}

const tooMany = (retryAfterSeconds: number) =>
  fail('rate_limited', 'Too many mails about views.', { retryAfterSeconds });
