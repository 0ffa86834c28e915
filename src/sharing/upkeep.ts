// The background tasks that keep the blob store and the disk reserve in order.
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import type { Log } from '../observe/log.ts';
import type { DiskReserve } from '../storage/disk-reserve.ts';
import type { Leases } from '../storage/leases.ts';
import { type PeriodicTask, startPeriodicTask } from '../storage/periodic-task.ts';
import type { Database } from '../storage/schema.ts';
import type { BlobStore } from './blobs/blob-store.ts';
import { settleOldNotes } from './blobs/release-0-1.ts';
import type { StagedBlobs } from './blobs/staged-blobs.ts';
import type { BlobCheck } from './documents/documents.ts';
import { startIntegrityScan } from './documents/integrity-scan.ts';

export type UpkeepOptions = {
  readonly config: Pick<Config, 'blobs' | 'blobCheckDays'>;
  readonly log: Log;
  readonly db: Database;
  readonly leases: Leases;
  readonly reserve: DiskReserve;
  readonly blobs: BlobStore;
  readonly stagedBlobs: StagedBlobs;
  readonly blobLeaseMs: number;
  readonly observeBlob: (check: BlobCheck) => void;
  readonly now: Clock;
};

/** Starts the sweep of blobs and the scan for damage. */
export function startUpkeep(options: UpkeepOptions): PeriodicTask[] {
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
