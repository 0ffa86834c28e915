// Reads the state of the installation for the metrics.
import { type MailQueue, summarizeQueue, type WaitingMail } from '../base/mail/retries.ts';
import { scheduleOf } from '../identity/keys/lifecycle.ts';
import { findWaitingNotices } from '../sharing/notices/store.ts';
import { defaultQuota } from '../sharing/quotas/quotas.ts';
import { countNearQuota } from '../sharing/quotas/store.ts';
import { findWaitingMails } from '../sharing/reader-mails/store.ts';
import type { Executor } from '../storage/schema.ts';
import type { Modules } from './modules.ts';
import type { AppOptions } from './options.ts';
import type { OpenStorage } from './storage.ts';

const dayMs = 86_400_000;
const mailsCountedMax = 10_000;

type Started = {
  readonly storage: OpenStorage;
  readonly modules: Modules;
  readonly tls: { expireTime(): number } | undefined;
};

export function observeInstallation(options: AppOptions, { storage, modules, tls }: Started): void {
  const { config, now = Date.now } = options;
  const { db, leases } = storage;
  const { keyring } = modules.identity;
  const { bytesMax, documentsMax, linksMax, viewsMax } = defaultQuota(config);
  const quotas = { bytes: bytesMax, documents: documentsMax, links: linksMax, views: viewsMax };

  async function readQueue(find: FindWaiting): Promise<MailQueue> {
    const time = now();
    return summarizeQueue(await find(db, time, mailsCountedMax), time);
  }
  modules.observer.state({
    signingKeys: async () =>
      scheduleOf(await keyring.facts(), now(), config.keyRotationDays * dayMs),
    certificateExpireTime: tls?.expireTime,
    connections: storage.countConnections,
    leasesHeld: () => leases.countHeld(),
    mailQueues: async () => ({
      reader: await readQueue(findWaitingMails),
      views: await readQueue(findWaitingNotices),
    }),
    nearQuota: () => countNearQuota(db, quotas),
  });
}

type FindWaiting = (db: Executor, now: number, limit: number) => Promise<WaitingMail[]>;
