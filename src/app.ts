// The composition root: builds all from the settings, starts it, stops it.
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createValidator } from '@bufbuild/protovalidate';
import { bootstrap, writeAddresses } from './bootstrap.ts';
import type { Address, Config } from './config.ts';
import { startGrpcFace } from './faces/grpc.ts';
import { startHttpFace } from './faces/http.ts';
import { startOpsFace } from './faces/ops.ts';
import { readAssets } from './http/assets.ts';
import { errorsPage } from './http/errors-page.ts';
import type { Page } from './http/page.ts';
import { createTrail, type Trail } from './identity/audit/trail.ts';
import { createDirectory, type Directory } from './identity/credentials/directory.ts';
import { type Keyring, openKeyring } from './identity/keys/keyring.ts';
import type { MasterKey } from './identity/keys/master-key.ts';
import { openMasterKey } from './identity/keys/master-key-file.ts';
import { type Rotation, startRotation } from './identity/keys/rotation.ts';
import { createSigningKeyService } from './identity/keys/service.ts';
import { principalFrom } from './identity/tokens/claims.ts';
import { createIssuanceService } from './identity/tokens/issuance-service.ts';
import { openRevocations } from './identity/tokens/revocations.ts';
import { createSigner, type Signer } from './identity/tokens/signer.ts';
import { createVerificationService } from './identity/tokens/verification-service.ts';
import { createVerifier } from './identity/tokens/verifier.ts';
import type { Random } from './ids.ts';
import type { Log } from './observe/log.ts';
import { createObserver } from './observe/observer.ts';
import type { Authenticate } from './rpc/credential.ts';
import { failureOf } from './rpc/errors.ts';
import { createGuard } from './rpc/guard.ts';
import { useNodeTextEncoding } from './rpc/text-encoding.ts';
import { guardAll, type Implementations } from './services.ts';
import type { BlobStore } from './sharing/blobs/blob-store.ts';
import { openDiskBlobs } from './sharing/blobs/disk.ts';
import { createDocuments } from './sharing/documents/documents.ts';
import { createDocumentService } from './sharing/documents/service.ts';
import { blobIsNeeded } from './sharing/documents/store.ts';
import { gateRoutes } from './sharing/gate/gate.http.ts';
import { createGate } from './sharing/gate/gate.ts';
import { createGatePages } from './sharing/gate/pages.ts';
import { createPasses } from './sharing/gate/pass.ts';
import { createLinks } from './sharing/links/links.ts';
import { createLinkService } from './sharing/links/service.ts';
import { createWorkspaces } from './sharing/workspaces/workspaces.ts';
import { type Changes, watchChanges } from './storage/changes.ts';
import { openDatabase, storageFailure } from './storage/database.ts';
import type { Database } from './storage/schema.ts';

export type AppOptions = {
  readonly config: Config;
  readonly log: Log;
  /** The folder of the built browser code. */
  readonly webDir: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly random?: Random;
};

export type App = {
  readonly publicUrl: string;
  /** `<host>:<port>` */
  readonly grpcAddress: string;
  readonly opsUrl: string;
  /** The file with the secrets of the first start. */
  readonly bootstrapFile: string;
  readonly bootstrapped: boolean;
  /** What the doors are made of, for tests that need to look behind them. */
  readonly inside: {
    readonly db: Database;
    readonly signer: Signer;
    readonly rotation: Rotation;
  };
  /** Lets calls under way finish, refuses new ones, and ends within 9 seconds. */
  stop(): Promise<void>;
};

/** What every part is built of. */
type Base = {
  readonly config: Config;
  readonly log: Log;
  readonly db: Database;
  readonly changes: Changes;
  readonly trail: Trail;
  readonly masterKey: MasterKey;
  readonly now: () => number;
  readonly random: Random;
  readonly publicUrl: () => string;
};

const drainMs = 9_000;

/** The life of the token of a user's session. */
const sessionTokenSeconds = 300;

/** Starts the whole service. When this returns, it answers. */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, log, webDir } = options;
  useNodeTextEncoding();
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const masterKey = await openMasterKey(config);
  const db = await openDatabase(config.databaseUrl);
  const now = options.now ?? Date.now;
  const random = options.random ?? randomBytes;
  const bootstrapFile = path.join(config.dataDir, 'bootstrap.env');
  const first = { db, masterKey, kind: config.bootstrap, file: bootstrapFile, random, now };
  const bootstrapped = await bootstrap(first);

  let publicUrl = config.publicUrl ?? '';
  const changes = await watchChanges(db);
  const base: Base = {
    config,
    log,
    db,
    changes,
    trail: createTrail({ db, changes, random, now }),
    masterKey,
    now,
    random,
    publicUrl: () => publicUrl,
  };
  const identity = await buildIdentity(base);
  const sharing = await buildSharing(base, webDir);
  const observer = createObserver(log);
  const guard = createGuard({
    authenticateToken: identity.authenticateToken,
    authenticateWorkspaceKey: workspaceKeyAuthenticator(identity.directory),
    authenticateSession: async () => undefined,
    sessionCookie: () => 'latchkey_session',
    publicUrl: () => publicUrl,
    membershipsOf: async () => new Map(),
    validator: createValidator(),
    stepUpSeconds: config.stepUpSeconds,
    now,
    observe: observer.call,
    failureOf: (thrown) => failureOf(storageFailure(thrown)),
  });
  const endpoints = guardAll(guard, { ...identity.services, ...sharing.services });

  const http = await startHttpFace({
    endpoints,
    pages: sharing.pages,
    assetsDir: path.join(webDir, 'assets'),
    publicUrl: () => publicUrl,
    address: config.http,
    observe: observer.page,
    failureOf: (thrown) => failureOf(storageFailure(thrown)),
  });
  publicUrl ||= `http://${hostPort(config.http, http.port)}`;
  const grpc = await startGrpcFace(endpoints, config.grpc);
  const ops = await startOpsFace({
    address: config.ops,
    checks: readinessChecks(db, sharing.blobs, identity.keyring),
    metrics: observer.metrics,
  });
  const grpcAddress = hostPort(config.grpc, grpc.port);
  const opsUrl = `http://${hostPort(config.ops, ops.port)}`;
  await writeAddresses(bootstrapFile, {
    LATCHKEY_BASE_URL: publicUrl,
    LATCHKEY_SHARING_BASE_URL: `${publicUrl}/api/v1`,
    LATCHKEY_GRPC_ADDRESS: grpcAddress,
    LATCHKEY_OPS_URL: opsUrl,
  });

  return {
    publicUrl,
    grpcAddress,
    opsUrl,
    bootstrapFile,
    bootstrapped,
    inside: { db, signer: identity.signer, rotation: identity.rotation },
    async stop() {
      ops.drain();
      const late = setTimeout(() => {
        http.close();
        grpc.close();
      }, drainMs);
      await Promise.all([http.drain(), grpc.drain()]);
      clearTimeout(late);
      await ops.close();
      await identity.rotation.stop();
      await changes.stop();
      await db.destroy();
    },
  };
}

type Identity = {
  readonly services: Pick<Implementations, 'issuance' | 'verification' | 'signingKey'>;
  readonly directory: Directory;
  readonly keyring: Keyring;
  readonly signer: Signer;
  readonly rotation: Rotation;
  readonly authenticateToken: Authenticate;
};

async function buildIdentity(base: Base): Promise<Identity> {
  const { config, log, db, changes, trail, masterKey, now, publicUrl } = base;
  const issuer = publicUrl;
  const audience = () => config.audience ?? publicUrl();
  const { serviceTokenSeconds, customerTokenSeconds, keyRotationDays: rotationDays } = config;
  const tokenSecondsMax = Math.max(serviceTokenSeconds, customerTokenSeconds, sessionTokenSeconds);
  const keyring = await openKeyring({ db, masterKey, changes, tokenSecondsMax, now });
  const onError = (error: unknown) => log.error({ err: error }, 'the rotation of keys failed');
  const rotation = await startRotation({
    masterKey,
    keyring,
    changes,
    trail,
    rotationDays,
    now,
    onError,
  });
  const revocations = await openRevocations({ db, changes, now });
  const directory = createDirectory({ db, changes, now });
  const signer = createSigner({ keyring, issuer, audience, now });
  const verifier = createVerifier({ keyring, revocations, changes, issuer, audience, now });
  return {
    directory,
    keyring,
    signer,
    rotation,
    async authenticateToken(token) {
      const claims = await verifier.verify(token);
      return claims === undefined ? undefined : principalFrom(claims);
    },
    services: {
      issuance: createIssuanceService({
        directory,
        signer,
        serviceTokenSeconds,
        customerTokenSeconds,
      }),
      verification: createVerificationService({ keyring, verifier, revocations }),
      signingKey: createSigningKeyService({ db, masterKey, trail, now }),
    },
  };
}

type Sharing = {
  readonly services: Pick<Implementations, 'document' | 'link'>;
  readonly pages: readonly Page[];
  readonly blobs: BlobStore;
};

async function buildSharing(base: Base, webDir: string): Promise<Sharing> {
  const { config, db, masterKey, now, random, publicUrl } = base;
  const blobs = await openDiskBlobs(config.blobDir);
  await blobs.sweep((id) => blobIsNeeded(db, id));
  const workspaces = createWorkspaces(db);
  const documents = createDocuments(db, blobs);
  const { uploadBytesMax } = config;
  const passes = createPasses(masterKey.derive('link pass'));
  const gate = createGate({ db, links: createLinks(db), passes, random, now });
  const assets = await readAssets(webDir);
  const pages = createGatePages(assets);
  return {
    blobs,
    pages: [errorsPage(assets), ...gateRoutes({ gate, pages, documents, publicUrl })],
    services: {
      document: createDocumentService({
        db,
        blobs,
        documents,
        workspaces,
        uploadBytesMax,
        random,
        now,
      }),
      link: createLinkService({ db, documents, publicUrl, random, now }),
    },
  };
}

function workspaceKeyAuthenticator(directory: Directory): Authenticate {
  return async (text) => {
    const key = await directory.authenticate('wk', text);
    if (key === undefined) return undefined;
    const { id, ownerId, scopes } = key;
    return { type: 'workspace_key', keyId: id, workspaceId: ownerId, scopes };
  };
}

function readinessChecks(db: Database, blobs: BlobStore, keyring: Keyring) {
  return {
    database: async () => {
      await db.selectFrom('revisions').select('value').execute();
    },
    blobs: () => blobs.check(),
    signing_key: async () => {
      if (keyring.active() === undefined) throw new Error('no key can sign');
    },
  };
}

function hostPort({ host }: Address, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
