// Restores a backup into a temporary SQLite database, to prove that it can be restored. The rows of
// the backup are on the disk for that time. The content of documents is compared with its digest
// and not kept.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { DamagedBlob } from '../base/files/damaged-blob.ts';
import { openDatabase, useDatabase } from '../storage/database.ts';
import { withLease } from './lease.ts';
import { type RestoreResult, type RestoreTarget, restoreBackup } from './restore.ts';
import type { RestoreBlobs } from './restore-blobs.ts';
import { restoreLease } from './store.ts';

export type TrialOptions = Pick<RestoreTarget, 'requireKeys'> & {
  /** Only its owner can read this folder. */
  readonly dataDir: string;
  /** Reads the documents of a backup without content. */
  readonly blobs: Pick<RestoreBlobs, 'read'>;
  readonly stop: AbortSignal;
};

const folderStart = 'trial-restore-';

/** Throws if the backup cannot be restored. Only one trial of a data folder may run at a time. */
export async function tryRestore(
  bytes: AsyncIterable<Uint8Array>,
  { dataDir, blobs, requireKeys, stop }: TrialOptions,
): Promise<RestoreResult> {
  await removeTrials(dataDir);
  const folder = await mkdtemp(path.join(dataDir, folderStart));
  try {
    return await restoreBackup(bytes, async (manifest, fill) => {
      const opened = await openDatabase(`sqlite:${path.join(folder, 'latchkey.db')}`);
      return useDatabase(opened, (db) =>
        withLease(db, restoreLease, stop, (signal, leaseOwner) =>
          fill({
            db,
            blobs: manifest.blobs === 'content' ? emptyStore : { ...emptyStore, ...blobs },
            placeKeys: async () => {},
            requireKeys,
            signal,
            leaseOwner,
          }),
        ),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes the folders of killed trials. */
async function removeTrials(dataDir: string): Promise<void> {
  const names = await readdir(dataDir);
  for (const name of names.filter((one) => one.startsWith(folderStart))) {
    await rm(path.join(dataDir, name), { recursive: true, force: true });
  }
}

/** Reads what it is given and keeps nothing. */
const emptyStore: RestoreBlobs = {
  // biome-ignore lint/correctness/useYield: every blob is missing.
  async *read(id) {
    throw new DamagedBlob(id, 'missing');
  },
  async write(_id, bytes) {
    for await (const _ of bytes);
  },
  async remove() {},
};
