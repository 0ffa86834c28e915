// The stage of storage: opens the folders, the master key and the database, and fills them on the
// first start.
import { randomBytes } from 'node:crypto';
import { requireNoUnfinishedRestore } from '../backup/store.ts';
import type { MasterKey } from '../base/crypto/master-key.ts';
import {
  describeMissingMasterKey,
  openMasterKey,
  readMasterKeyIfAny,
} from '../base/crypto/master-key-file.ts';
import { Failure } from '../base/errors/errors.ts';
import { type ChunkBuffers, createChunkBuffers } from '../base/limits/chunk-buffers.ts';
import { countSigningKeys } from '../identity/keys/store.ts';
import type { BlobStore } from '../sharing/blobs/blob-store.ts';
import { openBlobStore } from '../sharing/blobs/open-store.ts';
import { createStoreIds } from '../sharing/blobs/own-store.ts';
import { createStagedBlobs, type StagedBlobs } from '../sharing/blobs/staged-blobs.ts';
import { isBlobReferenced } from '../sharing/queries/document-versions.ts';
import { type Invalidations, watchInvalidations } from '../storage/cache/invalidation.ts';
import { openDatabase } from '../storage/database.ts';
import { createDiskReserve, type DiskReserve } from '../storage/disk-reserve.ts';
import { type ConnectionCounts, countConnections } from '../storage/drivers/connection-counts.ts';
import { traceTransactions } from '../storage/drivers/spans.ts';
import type { Database } from '../storage/schema/schema.ts';
import { startChangesUpkeep } from '../storage/upkeep/changes-upkeep.ts';
import { type Leases, startLeases } from '../storage/upkeep/leases.ts';
import { closeOnFailure } from './close-on-failure.ts';
import { bootstrap } from './installation/bootstrap.ts';
import { type FirstStart, prepareFirstStart, prepareFolders } from './installation/data-folder.ts';
import { type AppOptions, bootstrapFileOf } from './options.ts';

export type OpenStorage = {
  readonly db: Database;
  /** Undefined for SQLite. */
  countConnections(): ConnectionCounts | undefined;
  readonly reserve: DiskReserve;
  readonly blobs: BlobStore;
  readonly buffers: ChunkBuffers;
  readonly stagedBlobs: StagedBlobs;
  readonly invalidations: Invalidations;
  readonly leases: Leases;
  readonly masterKey: MasterKey;
  readonly bootstrapped: boolean;
  close(): Promise<void>;
};

export function openStorage(options: AppOptions): Promise<OpenStorage> {
  return closeOnFailure(async (onFailure) => {
    const { config, log, now = Date.now, random = randomBytes } = options;
    for (const { path, message } of await prepareFolders(config)) log.warn({ path }, message);
    const firstStart = await prepareFirstStart(config);
    const startSpan = options.telemetry?.traces?.startSpan;
    const opened = await openDatabase(config.databaseUrl, config);
    onFailure(() => opened.destroy());
    const db = startSpan ? traceTransactions(opened, config.databaseUrl, startSpan) : opened;
    // Before the master key, because the restore brings its own.
    await requireNoUnfinishedRestore(db);
    const masterKey = await openOwnMasterKey(db, config, firstStart);
    const reserve = createDiskReserve(config.databaseUrl);
    const buffers = createChunkBuffers();
    const requireOwn = createStoreIds({ db, random });
    const blobs = await openBlobStore(config.blobs, requireOwn, { buffers, startSpan });
    onFailure(blobs.close);
    // An S3 store is checked later, because an unreachable store would delay the start.
    if (config.blobs.kind === 'folder') await checkFolder(blobs);
    const stagedBlobs = createStagedBlobs({
      db,
      blobs,
      reserve,
      isReferenced: (id) => isBlobReferenced(db, id),
      leaseMs: options.blobLeaseMs ?? 120_000,
      random,
    });
    onFailure(stagedBlobs.close);
    const file = bootstrapFileOf(options);
    const first = { db, masterKey, kind: config.bootstrap, file, random, now };
    const { sampleFile } = options;
    const sample = sampleFile === undefined ? undefined : { file: sampleFile, blobs: stagedBlobs };
    const bootstrapped = await bootstrap({ ...first, ...firstStart, sample });
    await firstStart.end();
    const invalidations = await watchInvalidations(db);
    const onError = (err: unknown) => log.warn({ err }, 'cannot renew the leases of jobs');
    const leases = startLeases({ db, onError });
    const upkeep = startChangesUpkeep({
      db,
      invalidations,
      leases,
      // The primary process announces the changes of its workers.
      announces: options.sockets === undefined,
      onError: (err) => log.warn({ err }, 'cannot maintain the table of changes'),
    });
    return {
      db,
      countConnections: () => countConnections(opened),
      reserve,
      blobs,
      buffers,
      stagedBlobs,
      invalidations,
      leases,
      masterKey,
      bootstrapped,
      async close() {
        await upkeep.stop();
        await Promise.all([invalidations.stop(), leases.stop()]);
        stagedBlobs.close();
        await blobs.close();
        await db.destroy();
      },
    };
  });
}

/** Creates a missing master key only if the database is empty: a new one could decrypt nothing. */
async function openOwnMasterKey(
  db: Database,
  config: AppOptions['config'],
  firstStart: FirstStart,
): Promise<MasterKey> {
  // Counts first, because a concurrent first start creates the key before it fills the database.
  if ((await countSigningKeys(db)) === 0) return openMasterKey(config);
  const masterKey = await readMasterKeyIfAny(config);
  if (masterKey !== undefined) return masterKey;
  await firstStart.end();
  throw new Error(describeMissingMasterKey(config));
}

/** An unavailable folder does not prevent the start: tokens and links still work. */
async function checkFolder(blobs: BlobStore): Promise<void> {
  await blobs.check().catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
  });
}
