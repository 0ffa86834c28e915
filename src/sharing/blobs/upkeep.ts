// The background tasks that keep the blob store and the disk reserve in order.
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config/config.ts';
import type { DiskReserve } from '../../storage/disk-reserve.ts';
import type { Database } from '../../storage/schema/schema.ts';
import type { Leases } from '../../storage/upkeep/leases.ts';
import { type PeriodicTask, startPeriodicTask } from '../../storage/upkeep/periodic-task.ts';
import type { BlobStore } from './blob-store.ts';
import { settleOldNotes } from './release-0-1.ts';
import type { StagedBlobs } from './staged-blobs.ts';

type BlobUpkeepOptions = {
  readonly config: Pick<Config, 'blobs'>;
  readonly warn: (facts: object, message: string) => void;
  readonly db: Database;
  readonly leases: Leases;
  readonly reserve: DiskReserve;
  readonly blobs: BlobStore;
  readonly stagedBlobs: StagedBlobs;
  readonly blobLeaseMs: number;
  readonly now: Clock;
};

export function startBlobUpkeep(options: BlobUpkeepOptions): PeriodicTask[] {
  const { config, warn, db, leases, reserve, blobs, stagedBlobs, now } = options;
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
  return [filling, sweep, oldNotes];
}
