// A restore that was suspended while another process took over its lease.
import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { createDecrypter, decrypt } from '../../src/backup/encryption.ts';
import { withLease } from '../../src/backup/lease.ts';
import { type RestoreTarget, restoreBackup } from '../../src/backup/restore.ts';
import { findFilledTable, restoreLease } from '../../src/backup/store.ts';
import type { BlobStore } from '../../src/sharing/blobs/blob-store.ts';
import { openDiskBlobs } from '../../src/sharing/blobs/disk.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { backupPlace, installationWithDocuments, newFolder } from '../support/backups.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';
import { pendingBlobsOf } from '../support/pending-blobs.ts';
import { runIn } from '../support/program.ts';
import { filesUnder } from '../support/sharing-api.ts';

/** Takes over the lease once all documents are written. */
function takingOver(blobs: BlobStore, db: Database, documents: number): RestoreTarget['blobs'] {
  let written = 0;
  return {
    ...blobs,
    async write(id, source) {
      await blobs.write(id, source);
      written += 1;
      if (written < documents) return;
      await db.updateTable('leases').set({ owner: 'another' }).execute();
    },
  };
}

describeDialects('a restore whose lease another process has acquired', (dialect) => {
  it('commits nothing and removes nothing', async () => {
    const place = await backupPlace();
    const dataDir = await installationWithDocuments();
    const file = path.join(place.folder, 'backup.age');
    expect((await runIn(dataDir, ['backup', file], place.env)).status).toBe(0);
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const root = path.join(await newFolder(), 'blobs');
    await mkdir(root);
    const blobs = takingOver(openDiskBlobs(root), db, 3);
    const placeKeys = vi.fn(async () => {});
    const bytes = decrypt(createReadStream(file), createDecrypter(place.identity));

    const restored = restoreBackup(bytes, (_, fill) =>
      withLease(db, restoreLease, new AbortController().signal, (signal, leaseOwner) =>
        fill({ db, blobs, signal, leaseOwner, placeKeys, requireKeys: async () => {} }),
      ),
    );

    await expect(restored).rejects.toThrow('another process took over');
    expect(await findFilledTable(db)).toBeUndefined();
    expect(placeKeys).not.toHaveBeenCalled();
    expect(await db.selectFrom('leases').select(['name', 'owner']).execute()).toEqual([
      { name: restoreLease, owner: 'another' },
    ]);
    // The other process may have noted and written the same blobs.
    expect((await filesUnder(root)).filter((name) => name !== 'marker')).toHaveLength(3);
    expect(await pendingBlobsOf(db)).toHaveLength(3);
  });
});
