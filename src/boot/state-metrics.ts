// Reads the state of the installation for the metrics.
import { defaultQuota } from '../sharing/quotas/quotas.ts';
import { countNearQuota } from '../sharing/quotas/store.ts';
import type { Modules } from './modules.ts';
import type { AppOptions } from './options.ts';
import type { OpenStorage } from './storage.ts';

type Started = {
  readonly storage: OpenStorage;
  readonly modules: Modules;
  readonly tls: { expireTime(): number } | undefined;
};

export function observeInstallation(
  { config }: AppOptions,
  { storage, modules, tls }: Started,
): void {
  const { db, leases } = storage;
  const { signingKeys, mailQueues, oldestPreviewTime } = modules.state;
  const { bytesMax, documentsMax, linksMax, viewsMax } = defaultQuota(config);
  const quotas = { bytes: bytesMax, documents: documentsMax, links: linksMax, views: viewsMax };
  modules.observer.state({
    signingKeys,
    mailQueues,
    oldestPreviewTime,
    certificateExpireTime: tls?.expireTime,
    connections: storage.countConnections,
    leasesHeld: () => leases.countHeld(),
    nearQuota: () => countNearQuota(db, quotas),
  });
}
