// The sharing module: workspaces, documents, links, gates and views.

import type { AuthenticateProgram } from '../api/routes/program-reader.ts';
import type { HttpRoute, RouteRequest } from '../api/routes/route.ts';
import type { Implementations } from '../api/services.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import type { Random } from '../base/crypto/ids.ts';
import type { MasterKey } from '../base/crypto/master-key.ts';
import { createSignedValues } from '../base/crypto/signed-value.ts';
import type { Assets } from '../base/http/assets.ts';
import type { Mailer } from '../base/mail/mailer.ts';
import type { Credentials } from '../credentials/credentials.ts';
import type { Passwords } from '../credentials/passwords.ts';
import type { Log } from '../observe/log.ts';
import type { PreviewObserver } from '../observe/previews.ts';
import type { SearchKind } from '../search/search-kind.ts';
import type { Invalidations } from '../storage/cache/invalidation.ts';
import type { DiskReserve } from '../storage/disk-reserve.ts';
import type { Database } from '../storage/schema/schema.ts';
import type { Leases } from '../storage/upkeep/leases.ts';
import type { PeriodicTask } from '../storage/upkeep/periodic-task.ts';
import { createAgreements, receiptMailComposer } from './agreements/agreements.ts';
import { createApiKeyService } from './api-keys/service.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import type { StagedBlobs } from './blobs/staged-blobs.ts';
import { startBlobUpkeep } from './blobs/upkeep.ts';
import { type StoreWatch, watchStore } from './blobs/watch-store.ts';
import { createBrands } from './brand/brand.ts';
import { createLogoMethods } from './brand/logo-methods.ts';
import { type BlobCheck, createDocuments, verifyDigest } from './documents/documents.ts';
import { startIntegrityScan } from './documents/integrity-scan.ts';
import { createPageCounter } from './documents/pages/page-counter.ts';
import { createRedirects } from './documents/redirects.ts';
import { createDocumentService } from './documents/service.ts';
import { type Domains, openDomains } from './domains/domains.ts';
import { createDomainService } from './domains/service.ts';
import { createTxtResolver } from './domains/txt-records.ts';
import { createFolders } from './folders/folders.ts';
import { createFolderService } from './folders/service.ts';
import type { AccessSession } from './gate/cookies.ts';
import { createErasedReaders } from './gate/erased-readers.ts';
import { createGate, requireAccess } from './gate/gate.ts';
import { createGateHtml } from './gate/gate-html.ts';
import { createGateParts } from './gate/gate-parts.ts';
import { createInsightService } from './insight/service.ts';
import { createLinks } from './links/links.ts';
import { createRecipientMails, linkMailComposer } from './links/recipients.ts';
import { createLinkService } from './links/service.ts';
import { revokeLink } from './links/store.ts';
import { startNotices } from './notices/notices.ts';
import { forgetViews } from './notices/store.ts';
import { createPreviews } from './previews/previews.ts';
import { startPreviews } from './previews/start.ts';
import { findOldestQueued } from './previews/store.ts';
import { createQuotas, defaultQuota } from './quotas/quotas.ts';
import { startReaderMails } from './reader-mails/reader-mails.ts';
import { createRooms } from './rooms/rooms.ts';
import { sharingRoutes } from './routes.ts';
import { sharingSearchKinds } from './search-kinds.ts';
import { createNewViews, createReaderViews } from './views/reader-views.ts';
import { createViewRecorder, type ViewRecorder } from './views/view-recorder.ts';
import { createViews } from './views/views.ts';
import { createVisitorService } from './visitors/service.ts';
import { createWatermarks } from './watermarks/watermarks.ts';
import { createInvitationService, type NewMembers } from './workspaces/invitation-service.ts';
import { createWorkspaceService } from './workspaces/service.ts';
import { createWorkspaces } from './workspaces/workspaces.ts';

export type SharingModule = {
  readonly services: Pick<
    Implementations,
    | ('document' | 'folder' | 'link' | 'insight' | 'visitor')
    | ('apiKey' | 'workspace' | 'invitation' | 'domain')
  >;
  readonly searchKinds: readonly SearchKind[];
  readonly routes: readonly HttpRoute[];
  readonly storeState: StoreWatch['state'];
  /** When the oldest file that waits for a preview was stored. Undefined without LibreOffice. */
  readonly oldestPreviewTime: () => Promise<number | undefined>;
  readonly recorder: ViewRecorder;
  readonly domains: Pick<Domains, 'find'>;
  stop(): Promise<void>;
};

/** Concurrent uploads of one process. With S3, each one holds up to 20 MiB in memory. */
const uploadsMax = { folder: 256, s3: 64 };

export type SharingModuleOptions = {
  readonly config: Pick<
    Config,
    | 'blobs'
    | 'dataDir'
    | 'officeCommand'
    | 'blobCheckDays'
    | 'blobRedirectSeconds'
    | 'uploadBytesMax'
    | 'workspaceBytesMax'
    | 'workspaceDocumentsMax'
    | 'workspaceLinksMax'
    | 'workspaceViewsMax'
  >;
  readonly log: Log;
  readonly db: Database;
  readonly invalidations: Pick<Invalidations, 'onEviction' | 'ensureFresh'>;
  readonly reserve: DiskReserve;
  readonly blobs: BlobStore;
  readonly stagedBlobs: StagedBlobs;
  readonly leases: Leases;
  readonly auditLog: AuditLog;
  readonly masterKey: MasterKey;
  readonly mailer: Mailer;
  readonly credentials: Credentials;
  readonly passwords: Passwords;
  readonly newMembers: NewMembers;
  readonly authenticateProgram: AuthenticateProgram;
  /** Signs the claims of a receipt. Returns a compact JWS. */
  readonly signReceipt: (claims: object) => Promise<string>;
  readonly assets: Assets;
  readonly pagesProgram: string;
  readonly officeProgram: string;
  readonly watermarkProgram: string;
  readonly observeBlob: (check: BlobCheck) => void;
  readonly observeStore: (isUp: boolean) => void;
  readonly observePreviews: PreviewObserver;
  readonly uploadStalledMs: number;
  readonly blobLeaseMs: number;
  readonly workspaceWaitMs: number;
  readonly publicUrl: string;
  /** How many backups stay in the target of backups; 0 without a target. */
  readonly keptBackups: number;
  readonly dnsServers: readonly string[] | undefined;
  readonly random: Random;
  readonly now: Clock;
  readonly onFailure: (close: () => unknown) => void;
};

export async function createSharingModule(options: SharingModuleOptions): Promise<SharingModule> {
  const { config, log, db, invalidations, blobs, stagedBlobs, onFailure } = options;
  const { auditLog, masterKey, publicUrl, random, now } = options;
  const { credentials, passwords, assets, pagesProgram, observeBlob: observe } = options;
  const warn = (facts: object, message: string) => log.warn(facts, message);
  const upkeep = startUpkeep(options);
  for (const task of upkeep) onFailure(task.stop);
  const { kind } = config.blobs;
  const watch = watchStore({ blobs, kind, log, observe: options.observeStore });
  onFailure(watch.stop);
  const workspaces = createWorkspaces(db);
  const documents = createDocuments({ db, invalidations, blobs, observe });
  const folders = createFolders();
  const rooms = createRooms({ db, invalidations });
  const quotas = createQuotas({
    db,
    defaults: defaultQuota(config),
    waitMs: options.workspaceWaitMs,
  });
  const { uploadBytesMax } = config;
  const pageCounter = createPageCounter({ file: pagesProgram });
  onFailure(pageCounter.stop);
  const watermarks = createWatermarks({ file: options.watermarkProgram });
  onFailure(watermarks.stop);
  const conversions = await startPreviews({
    ...{ config, db, leases: options.leases, blobs, stagedBlobs, verifyDigest, quotas, warn, now },
    ...{ pages: pageCounter, program: options.officeProgram, observer: options.observePreviews },
  });
  for (const task of conversions) onFailure(task.stop);
  const previews = createPreviews(db);
  const accessKeys = masterKey.derive('access session');
  const accessSessions = createSignedValues<AccessSession>({ keys: accessKeys, now });
  const links = createLinks({ db, invalidations });
  const domains = await openDomains({ db, invalidations, publicUrl });
  const { urlOf } = domains;
  const brands = createBrands(db, publicUrl);
  const erasedReaders = createErasedReaders({ db, invalidations, masterKey, now });
  const gate = createGate({ db, links, accessSessions, erasedReaders, random, now });
  const recorder = createViewRecorder({ db, now, warn });
  onFailure(recorder.stop);
  const keys = masterKey.derive('link views');
  const notices = startNotices({
    ...{ db, mailer: options.mailer, brands, publicUrl, warn, now },
    keys: masterKey.derive('link notices'),
    lease: options.leases.lease('link notices'),
  });
  onFailure(notices.task.stop);
  const readerMails = startReaderMails({
    ...{ db, mailer: options.mailer, lease: options.leases.lease('reader mails'), warn, now },
    composers: {
      lnk: linkMailComposer({ db, brands, urlOf, now }),
      agr: receiptMailComposer({ db, brands, publicUrl }),
    },
  });
  onFailure(readerMails.stop);
  const { signReceipt } = options;
  const signed = { mails: readerMails, signReceipt, publicUrl };
  const agreements = createAgreements({ db, ...signed, random, now });
  const newViews = createNewViews({ db, quotas, notices, keys, now });
  const readerViews = createReaderViews({ db, recorder, newViews, now, warn });
  const views = createViews(db);
  const gateOptions = { gate, brands, agreements, erasedReaders, urlOf };
  const parts = createGateParts({ ...options, ...gateOptions });
  const access = (request: RouteRequest) => requireAccess({ gate, rooms, ...parts }, request);
  const html = createGateHtml(assets);
  return {
    searchKinds: sharingSearchKinds,
    storeState: watch.state,
    recorder,
    oldestPreviewTime: async () => (conversions.length === 0 ? undefined : findOldestQueued(db)),
    domains,
    async stop() {
      watch.stop();
      pageCounter.stop();
      watermarks.stop();
      await Promise.all([
        recorder.stop(),
        notices.task.stop(),
        readerMails.stop(),
        ...[...upkeep, ...conversions].map((task) => task.stop()),
      ]);
    },
    routes: sharingRoutes({
      ...{ gate, rooms, ...parts, html, documents, previews, brands, agreements, db },
      ...{ watermarks, now, authenticateProgram: options.authenticateProgram },
      ...readerViews,
      requireAccess: access,
    }),
    services: {
      document: createDocumentService({
        db,
        auditLog,
        blobs,
        stagedBlobs,
        documents,
        previews,
        redirect: createRedirects({ blobs, seconds: config.blobRedirectSeconds }),
        workspaces,
        folders,
        quotas,
        pages: pageCounter,
        uploadsMax: uploadsMax[config.blobs.kind],
        uploadStalledMs: options.uploadStalledMs,
        ...{ uploadBytesMax, random, now },
      }),
      folder: createFolderService({ db, auditLog, quotas, workspaces, folders, random, now }),
      link: createLinkService({
        db,
        auditLog,
        quotas,
        documents,
        folders,
        views,
        passwords,
        recipientMails: createRecipientMails({
          ...{ db, mails: readerMails, now },
          keys: masterKey.derive('recipient mails'),
        }),
        agreements,
        forgetViews,
        urlOf,
        random,
        now,
      }),
      insight: createInsightService({ db, documents, links, views, workspaces, now }),
      visitor: createVisitorService({
        ...{ db, auditLog, quotas, views, erasedReaders, random },
        revokeLink: (trx, id) => revokeLink(trx, id, now()),
      }),
      apiKey: createApiKeyService({ db, auditLog, credentials, random }),
      workspace: createWorkspaceService({
        ...{ db, auditLog, quotas, brands, publicUrl, random, now },
        keptBackups: options.keptBackups,
        mailer: options.mailer,
        invitationKeys: masterKey.derive('invitations'),
        logoMethods: (answer) => {
          const { uploadStalledMs } = options;
          return createLogoMethods({ auditLog, random, now, uploadStalledMs, answer });
        },
      }),
      invitation: createInvitationService({
        ...{ db, auditLog, now },
        newMembers: options.newMembers,
      }),
      domain: createDomainService({
        ...{ db, auditLog, workspaces, domains, publicUrl, random, now },
        resolveTxt: createTxtResolver(options.dnsServers),
        keys: masterKey.derive('domain verification'),
      }),
    },
  };
}

function startUpkeep(options: SharingModuleOptions): PeriodicTask[] {
  const { config, log, db, leases, blobs, observeBlob: observe, now } = options;
  const warn = (facts: object, message: string) => log.warn(facts, message);
  const tasks = startBlobUpkeep({ ...options, warn });
  const days = config.blobCheckDays;
  if (days === 0) return tasks;
  const lease = leases.lease('integrity scan');
  return [...tasks, startIntegrityScan({ db, blobs, days, lease, now, observe, warn })];
}
