// The sharing module: workspaces, documents, links, gates and views.

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
import type { DiskReserve } from '../storage/disk-reserve.ts';
import type { Invalidations } from '../storage/invalidation.ts';
import type { Leases } from '../storage/leases.ts';
import { type PeriodicTask, startPeriodicTask } from '../storage/periodic-task.ts';
import type { Database } from '../storage/schema.ts';
import { createApiKeyService } from './api-keys/service.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import { settleOldNotes } from './blobs/release-0-1.ts';
import type { StagedBlobs } from './blobs/staged-blobs.ts';
import { type StoreWatch, watchStore } from './blobs/watch-store.ts';
import { type Brands, createBrands } from './brand/brand.ts';
import { createLogoMethods } from './brand/logo-methods.ts';
import { type BlobCheck, createDocuments } from './documents/documents.ts';
import { startIntegrityScan } from './documents/integrity-scan.ts';
import { createPageCounter } from './documents/pages/page-counter.ts';
import { createRedirects } from './documents/redirects.ts';
import { createDocumentService } from './documents/service.ts';
import type { AccessSession } from './gate/access-session.ts';
import { createGateCodes } from './gate/codes.ts';
import { createGateCookies } from './gate/cookies.ts';
import { createGate, type Gate } from './gate/gate.ts';
import { createGateHtml } from './gate/gate-html.ts';
import type { GateState } from './gate/gate-state.ts';
import { createGateSteps } from './gate/gate-steps.ts';
import { createPasswordThrottle } from './gate/password-throttle.ts';
import { requireAccess } from './gate/require-access.ts';
import { createInsightService } from './insight/service.ts';
import { createLinks } from './links/links.ts';
import { createLinkService } from './links/service.ts';
import { createNotices } from './notices/notices.ts';
import { forgetViews } from './notices/store.ts';
import { createQuotas, type Quota } from './quotas/quotas.ts';
import { sharingRoutes } from './routes.ts';
import { createNewViews } from './views/new-views.ts';
import { createViewRecorder, type ViewRecorder } from './views/view-recorder.ts';
import { createViews } from './views/views.ts';
import { createVisitorService } from './visitors/service.ts';
import { createInvitationService, type NewMembers } from './workspaces/invitation-service.ts';
import { createWorkspaceService } from './workspaces/service.ts';
import { createWorkspaces } from './workspaces/workspaces.ts';

export type SharingModule = {
  readonly services: Pick<
    Implementations,
    'document' | 'link' | 'insight' | 'visitor' | 'apiKey' | 'workspace' | 'invitation'
  >;
  readonly routes: readonly HttpRoute[];
  readonly storeState: StoreWatch['state'];
  readonly recorder: ViewRecorder;
  stop(): Promise<void>;
};

/** Concurrent uploads of one process. With S3, each one holds up to 20 MiB in memory. */
const uploadsMax = { folder: 256, s3: 64 };

export type SharingModuleOptions = {
  readonly config: Pick<
    Config,
    | 'blobs'
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
  readonly assets: Assets;
  readonly pagesProgram: string;
  readonly observeBlob: (check: BlobCheck) => void;
  readonly observeStore: (isUp: boolean) => void;
  readonly uploadStalledMs: number;
  readonly blobLeaseMs: number;
  readonly publicUrl: string;
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
  const quotas = createQuotas({ db, defaults: defaultQuota(config) });
  const { uploadBytesMax } = config;
  const pageCounter = createPageCounter({ file: pagesProgram });
  onFailure(pageCounter.stop);
  const accessKeys = masterKey.derive('access session');
  const accessSessions = createSignedValues<AccessSession>({ keys: accessKeys, now });
  const links = createLinks({ db, invalidations });
  const brands = createBrands(db, publicUrl);
  const gate = createGate({ db, links, accessSessions, random, now });
  const recorder = createViewRecorder({ db, now, warn });
  onFailure(recorder.stop);
  const keys = masterKey.derive('link views');
  const notices = startNotices(options, brands);
  onFailure(notices.task.stop);
  const newViews = createNewViews({ db, quotas, notices, keys, now });
  const views = createViews({ db, recorder, newViews, now, warn });
  const parts = gateParts(options, gate, brands);
  const access = (request: RouteRequest) => requireAccess({ gate, ...parts }, request);
  const html = createGateHtml(assets, publicUrl);
  return {
    storeState: watch.state,
    recorder,
    async stop() {
      watch.stop();
      pageCounter.stop();
      await Promise.all([
        recorder.stop(),
        notices.task.stop(),
        ...upkeep.map((task) => task.stop()),
      ]);
    },
    routes: sharingRoutes({
      ...{ gate, ...parts, html, documents, brands, db, views },
      recordOpening: views.recordOpening,
      recordDownload: views.recordDownload,
      requireAccess: access,
    }),
    services: {
      document: createDocumentService({
        db,
        auditLog,
        blobs,
        stagedBlobs,
        documents,
        redirect: createRedirects({ blobs, seconds: config.blobRedirectSeconds }),
        workspaces,
        quotas,
        pages: pageCounter,
        uploadBytesMax,
        uploadsMax: uploadsMax[config.blobs.kind],
        uploadStalledMs: options.uploadStalledMs,
        random,
        now,
      }),
      link: createLinkService({
        db,
        auditLog,
        quotas,
        documents,
        views,
        passwords,
        forgetViews,
        publicUrl,
        random,
        now,
      }),
      insight: createInsightService({ db, documents, links, views, now }),
      visitor: createVisitorService({ db, auditLog, quotas, views }),
      apiKey: createApiKeyService({ auditLog, credentials, random }),
      workspace: createWorkspaceService({
        ...{ db, auditLog, quotas, brands, publicUrl, random, now },
        mailer: options.mailer,
        invitationKeys: masterKey.derive('invitations'),
        logoMethods: (answer) => {
          const { uploadStalledMs } = options;
          return createLogoMethods({ auditLog, random, uploadStalledMs, answer });
        },
      }),
      invitation: createInvitationService({
        ...{ db, auditLog, now },
        newMembers: options.newMembers,
      }),
    },
  };
}

function startUpkeep(options: SharingModuleOptions): PeriodicTask[] {
  const { config, log, db, leases, reserve, blobs, stagedBlobs, now } = options;
  const warn = (facts: object, message: string) => log.warn(facts, message);
  const filling = startPeriodicTask({
    pauseMs: options.blobLeaseMs / 4,
    round: () => reserve.fill(),
    onError: (err) => warn({ err }, 'cannot fill the disk reserve'),
  });
  const sweep = startPeriodicTask({
    pauseMs: options.blobLeaseMs / 4,
    lease: leases.lease('blob sweep'),
    round: (signal) => stagedBlobs.sweep(signal),
    onError: (err) => warn({ err }, 'cannot sweep pending blobs'),
  });
  const oldNotes = startPeriodicTask({
    pauseMs: 3_600_000,
    lease: leases.lease('notes of release 0.1'),
    async round() {
      // Release 0.1 had no S3 store.
      if (config.blobs.kind === 's3') return;
      await blobs.check();
      await settleOldNotes({ db, root: config.blobs.path, now });
    },
    onError: (err) => warn({ err }, 'cannot settle the notes of release 0.1'),
  });
  const tasks = [filling, sweep, oldNotes];
  const days = config.blobCheckDays;
  if (days === 0) return tasks;
  const lease = leases.lease('integrity scan');
  const { observeBlob: observe } = options;
  return [...tasks, startIntegrityScan({ db, blobs, days, lease, now, observe, warn })];
}

function startNotices(options: SharingModuleOptions, brands: Brands) {
  const { log, db, leases, mailer, masterKey, publicUrl, now } = options;
  const warn = (facts: object, message: string) => log.warn(facts, message);
  const keys = masterKey.derive('link notices');
  const notices = createNotices({ db, mailer, brands, publicUrl, keys, warn, now });
  const task = startPeriodicTask({
    pauseMs: 2_000,
    lease: leases.lease('link notices'),
    round: (signal) => notices.sendDue(signal),
    onError: (err) => warn({ err }, 'cannot send mails about views'),
  });
  return { note: notices.note, task };
}

function defaultQuota(config: SharingModuleOptions['config']): Quota {
  return {
    bytesMax: config.workspaceBytesMax,
    documentsMax: config.workspaceDocumentsMax,
    linksMax: config.workspaceLinksMax,
    viewsMax: config.workspaceViewsMax,
  };
}

function gateParts(options: SharingModuleOptions, gate: Gate, brands: Brands) {
  const { db, mailer, masterKey, passwords, publicUrl, random, now } = options;
  const passwordKeys = masterKey.derive('link password throttle');
  const passwordThrottle = createPasswordThrottle({ db, keys: passwordKeys, now });
  const keys = masterKey.derive('link codes');
  const codes = createGateCodes({ db, mailer, brands, publicUrl, keys, random, now });
  const stateKeys = masterKey.derive('gate state');
  const states = createSignedValues<GateState>({ keys: stateKeys, now });
  const browserKeys = masterKey.derive('known browser');
  const browsers = createSignedValues<string>({ keys: browserKeys, now });
  return {
    steps: createGateSteps({ gate, passwords, passwordThrottle, codes, random }),
    cookies: createGateCookies({ states, browsers, random, publicUrl }),
  };
}
