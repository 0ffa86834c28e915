// Reads the state of the installation, for the metrics and for staff.

import { findNewestBackup } from '../backup/newest-backup.ts';
import { dayMs } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import { keepFor } from '../base/limits/keep-for.ts';
import { type MailQueue, summarizeQueue, type WaitingMail } from '../base/mail/retries.ts';
import { type ScheduledKey, scheduleOf, stepLateMs } from '../identity/keys/lifecycle.ts';
import type { IdentityModule } from '../identity/module.ts';
import type { InstallationSources } from '../installation/service.ts';
import type { SharingModule } from '../sharing/module.ts';
import { findWaitingNotices } from '../sharing/notices/store.ts';
import { findWaitingMails } from '../sharing/reader-mails/store.ts';
import type { Database, Executor } from '../storage/schema/schema.ts';

const mailsCountedMax = 10_000;
/** The checks send requests to other servers. */
const checkMs = 60_000;
const checkWaitMs = 5_000;

export type InstallationState = InstallationSources & {
  /** By kind. */
  mailQueues(): Promise<Readonly<Record<'reader' | 'views', MailQueue>>>;
  signingKeys(): Promise<readonly ScheduledKey[]>;
  readonly oldestPreviewTime: SharingModule['oldestPreviewTime'];
};

type Read = {
  readonly config: Config;
  readonly db: Database;
  readonly now: () => number;
  readonly keyring: IdentityModule['keyring'];
  readonly sharing: Pick<SharingModule, 'storeState' | 'oldestPreviewTime'>;
};

export function createInstallationState(options: Read): InstallationState {
  const { config, db, now, keyring, sharing } = options;
  const { storeState, oldestPreviewTime } = sharing;
  const periodMs = config.keyRotationDays * dayMs;

  async function readQueue(find: FindWaiting): Promise<MailQueue> {
    const time = now();
    return summarizeQueue(await find(db, time, mailsCountedMax), time);
  }
  const mailQueues = async () => ({
    reader: await readQueue(findWaitingMails),
    views: await readQueue(findWaitingNotices),
  });
  const checkOptions = { waitMs: checkWaitMs };
  const mailProblem = keepFor(checkMs, () => findMailProblem(config), checkOptions);
  const backups = keepFor(checkMs, () => readBackups(config, now()), checkOptions);
  return {
    mailQueues,
    oldestPreviewTime,
    signingKeys: async () => scheduleOf(await keyring.facts(), now(), periodMs),
    async rotations() {
      const lateTime = now() - stepLateMs;
      const keys = scheduleOf(await keyring.facts(), lateTime, periodMs);
      return keys.map((key) => ({
        ...key,
        isLate: key.isNextMissing || key.rotationTime <= lateTime,
      }));
    },
    async mail() {
      const queues = Object.values(await mailQueues());
      const times = queues.flatMap(({ oldestTime }) => oldestTime ?? []);
      return {
        hasServer: config.smtp !== undefined,
        problem: (await mailProblem()) ?? noResult,
        waiting: queues.reduce((sum, { mails }) => sum + mails, 0),
        oldestTime: times.length === 0 ? undefined : Math.min(...times),
      };
    },
    blobProblem: async () => blobProblems[await storeState()],
    async backups() {
      const hasTarget = config.backupTarget !== undefined;
      return { hasTarget, ...((await backups()) ?? { problem: noResult }) };
    },
  };
}

type FindWaiting = (db: Executor, now: number, limit: number) => Promise<WaitingMail[]>;

const noResult = 'The check takes longer than five seconds.';

const blobProblems = {
  ok: '',
  outage: 'No node can use the blob store.',
  unusable: 'The node that answers cannot use the blob store.',
} as const;

/** Loads the code for SMTP only if it is used. */
async function findMailProblem({ smtp }: Config): Promise<string> {
  if (smtp === undefined) return '';
  const { verifySmtp } = await import('../base/mail/verify-smtp.ts');
  return (await verifySmtp(smtp)) ?? '';
}

async function readBackups(config: Config, now: number) {
  try {
    const { time, isLate } = (await findNewestBackup(config, now)) ?? {};
    return { problem: '', newestTime: time, isLate };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
