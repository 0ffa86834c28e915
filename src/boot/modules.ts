// The stage of modules: identity and sharing, and the parts that both use.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Implementations } from '../api/services.ts';
import { createAuditLog } from '../audit/audit-log.ts';
import type { Config } from '../base/config/config.ts';
import { type Assets, readAssets } from '../base/http/assets.ts';
import type { OpenMailer } from '../base/mail/mailer.ts';
import type { MessageOptions } from '../base/mail/message.ts';
import { openOutbox } from '../base/mail/outbox.ts';
import { createIdentityModule, type IdentityModule } from '../identity/module.ts';
import { createInstallationService } from '../installation/service.ts';
import { createObserver, type Observer } from '../observe/observer.ts';
import { createSearchService } from '../search/service.ts';
import { createSharingModule, type SharingModule } from '../sharing/module.ts';
import { sharedAccess } from '../sharing/user-access/user-access.ts';
import { sharedData } from '../sharing/user-data/user-data.ts';
import { createMappedRoles } from '../sharing/workspaces/mapped-roles.ts';
import { createMemberships, rolesOf } from '../sharing/workspaces/memberships.ts';
import { createDeletionCheck } from '../sharing/workspaces/workspaces.ts';
import { closeOnFailure } from './close-on-failure.ts';
import { createInstallationState, type InstallationState } from './installation-state.ts';
import type { AppOptions } from './options.ts';
import type { Sockets } from './sockets.ts';
import type { OpenStorage } from './storage.ts';

export type Modules = {
  readonly identity: IdentityModule;
  readonly sharing: SharingModule;
  readonly services: Implementations;
  readonly membershipsOf: ReturnType<typeof createMemberships>;
  readonly isWorkspaceDeleted: ReturnType<typeof createDeletionCheck>;
  readonly assets: Assets;
  readonly observer: Observer;
  readonly state: InstallationState;
  stop(): Promise<void>;
};

export function createModules(
  options: AppOptions,
  { urls: { publicUrl } }: Sockets,
  { db, reserve, blobs, stagedBlobs, invalidations, leases, masterKey }: OpenStorage,
): Promise<Modules> {
  const { config, log, webDir, now = Date.now, random = randomBytes } = options;
  return closeOnFailure(async (onFailure) => {
    const mailer = await openMailer(config, { from: config.mailFrom, random, now });
    onFailure(mailer.stop);
    const auditLog = createAuditLog({ db, reserve, random, now });
    const shared = {
      ...{ config, log, db, invalidations, leases, auditLog, masterKey },
      ...{ now, random, publicUrl },
      // Without a schedule of the service, another one may run `backup`, such as a CronJob.
      keptBackups: config.backupTarget === undefined ? 0 : config.backupKeep,
    };
    const membershipsOf = createMemberships({ db, invalidations });
    // Built programs are next to the built browser code, even if the service runs from its sources.
    const programs = path.join(webDir, '../src');
    const observer = createObserver(log, options.droppedLines, options.telemetry?.traces);
    const identity = await createIdentityModule({
      ...shared,
      onFailure,
      mailer,
      membershipsOf,
      rolesOf,
      mappedRoles: createMappedRoles(now),
      sharedAccess,
      sharedData,
      observeUsage: config.usageMetrics === 'on' ? observer.usage : undefined,
      threadProgram: path.join(programs, 'identity/keys/thread-program.js'),
    });
    const assets = await readAssets(webDir);
    const sharing = await createSharingModule({
      ...shared,
      onFailure,
      reserve,
      blobs,
      stagedBlobs,
      mailer,
      credentials: identity.credentials,
      passwords: identity.passwords,
      newMembers: identity.newMembers,
      authenticateProgram: identity.authenticateProgram,
      signReceipt: identity.receiptKeys.sign,
      assets,
      pagesProgram: path.join(programs, 'sharing/documents/pages/program.js'),
      observeBlob: observer.blob,
      officeProgram: path.join(programs, 'sharing/previews/converter/program.js'),
      watermarkProgram: path.join(programs, 'sharing/watermarks/program.js'),
      dnsServers: options.dnsServers,
      observeStore: observer.store,
      observePreviews: observer.previews,
      uploadStalledMs: options.uploadStalledMs ?? 45_000,
      blobLeaseMs: options.blobLeaseMs ?? 120_000,
      workspaceWaitMs: options.workspaceWaitMs ?? 5_000,
    });
    const kinds = [...identity.searchKinds, ...sharing.searchKinds];
    const search = createSearchService({ db, kinds, now });
    const { keyring } = identity;
    const state = createInstallationState({ config, db, now, keyring, sharing });
    const ownKey = { id: masterKey.id, isInFile: config.masterKey === undefined };
    const installation = createInstallationService({
      ...{ db, now, auditLog },
      masterKey: ownKey,
      sources: state,
    });
    return {
      identity,
      sharing,
      services: { ...identity.services, ...sharing.services, search, installation },
      membershipsOf,
      isWorkspaceDeleted: createDeletionCheck({ db, invalidations }),
      assets,
      observer,
      state,
      async stop() {
        mailer.stop();
        await Promise.all([identity.stop(), sharing.stop()]);
      },
    };
  });
}

async function openMailer(config: Config, message: MessageOptions): Promise<OpenMailer> {
  const folder = path.join(config.dataDir, 'outbox');
  if (config.smtp === undefined) return openOutbox({ ...message, folder });
  const { createSmtpMailer } = await import('../base/mail/smtp.ts');
  return createSmtpMailer({ ...message, server: config.smtp });
}
