// Mails to readers. A transaction adds a mail together with the object that it is about; one
// process of the deployment sends it. After a crash, the last mail can be sent twice.
import type { Clock } from '../../base/clock.ts';
import type { Mail, Mailer } from '../../base/mail/mailer.ts';
import { attemptsMax, retryWaitMs } from '../../base/mail/retries.ts';
import { transact } from '../../storage/database.ts';
import type { Database, Executor, ReaderMailRow } from '../../storage/schema/schema.ts';
import type { Lease } from '../../storage/upkeep/leases.ts';
import { startPeriodicTask } from '../../storage/upkeep/periodic-task.ts';
import { deleteMail, findDueMail, insertMails, postponeMail } from './store.ts';

/** Returns undefined if the mail is no longer needed. */
export type ComposeMail = (targetId: string, message: string) => Promise<Mail | undefined>;

/** A mail about an object, with a text that is deleted once the mail is sent. */
export type NewReaderMail = { readonly targetId: string; readonly message?: string };

export type ReaderMails = {
  add(trx: Executor, mails: readonly NewReaderMail[]): Promise<void>;
  stop(): Promise<void>;
};

export type ReaderMailOptions = {
  readonly db: Database;
  readonly mailer: Mailer;
  /** By the prefix of the target's id. */
  readonly composers: Readonly<Record<string, ComposeMail>>;
  readonly lease: Lease;
  readonly warn: (facts: object, message: string) => void;
  readonly now: Clock;
};

const mailsMax = 500;

export function startReaderMails(options: ReaderMailOptions): ReaderMails {
  const { db, mailer, composers, warn, now } = options;

  async function send({ target_id, attempts, message }: ReaderMailRow): Promise<void> {
    const compose = composers[target_id.replace(/_.*/, '')];
    const done = () => transact(db, (trx) => deleteMail(trx, target_id));
    try {
      const mail = await compose?.(target_id, message);
      if (mail !== undefined) await mailer.send(mail);
      await done();
    } catch (err) {
      const failed = attempts + 1;
      if (failed === 1) warn({ err }, 'cannot send a mail to a reader; trying again');
      if (failed < attemptsMax) {
        const due_time = now() + retryWaitMs(failed);
        return transact(db, (trx) => postponeMail(trx, { target_id, due_time, attempts: failed }));
      }
      warn({ err, attempts: failed }, 'a mail to a reader was given up');
      await done();
    }
  }

  async function sendDue(signal: AbortSignal): Promise<void> {
    for (let mails = 0; mails < mailsMax && !signal.aborted; mails++) {
      const due = await findDueMail(db, now());
      if (due === undefined) return;
      await send(due);
    }
  }

  const { stop } = startPeriodicTask({
    pauseMs: 1_000,
    lease: options.lease,
    round: sendDue,
    onError: (err) => warn({ err }, 'cannot send mails to readers'),
  });
  return {
    stop,
    async add(trx, added) {
      const rows = added.map(({ targetId: target_id, message = '' }) => ({
        ...{ target_id, message, due_time: now(), attempts: 0 },
      }));
      if (rows.length > 0) await insertMails(trx, rows);
    },
  };
}
