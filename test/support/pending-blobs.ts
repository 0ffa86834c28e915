// Blobs, their documents and their rows in `pending_blobs`, without the service.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { BlobStore } from '../../src/sharing/blobs/blob-store.ts';
import { openBlobStore } from '../../src/sharing/blobs/open-store.ts';
import { createStoreIds } from '../../src/sharing/blobs/own-store.ts';
import { createStagedBlobs, type StagedBlobs } from '../../src/sharing/blobs/staged-blobs.ts';
import { insertDocument, type NewDocument } from '../../src/sharing/documents/store.ts';
import { isBlobReferenced } from '../../src/sharing/queries/document-versions.ts';
import { insertWorkspace } from '../../src/sharing/workspaces/store.ts';
import { transact } from '../../src/storage/database.ts';
import { createDiskReserve } from '../../src/storage/disk-reserve.ts';
import type { Database, Executor } from '../../src/storage/schema/schema.ts';
import { migratedDatabaseUrl, openUntilFinished } from './databases.ts';
import type { Dialect } from './matrix.ts';
import { filesUnder } from './sharing-api.ts';

/** The path of a blob in its store. */
export const blobFileOf = (id: string) => path.join(id.slice(0, 2), id);

export async function pendingBlobsOf(db: Database): Promise<string[]> {
  const rows = await db.selectFrom('pending_blobs').select('blob_id').orderBy('blob_id').execute();
  return rows.map(({ blob_id }) => blob_id);
}

/** Ends the leases of all uploads. */
export async function expirePendingBlobs(db: Database): Promise<void> {
  await db.updateTable('pending_blobs').set({ expire_time: 0 }).execute();
}

/** Opens the blobs of a folder, as another process of the deployment does. */
export async function openStagedBlobs(
  db: Database,
  blobDir: string,
  leaseMs = 120_000,
  change = (blobs: BlobStore) => blobs,
): Promise<StagedBlobs> {
  const location = { kind: 'folder', path: blobDir } as const;
  return createStagedBlobs({
    db,
    blobs: change(await openBlobStore(location, createStoreIds({ db, random: randomBytes }))),
    reserve: createDiskReserve('postgres:'),
    isReferenced: (id) => isBlobReferenced(db, id),
    leaseMs,
    random: randomBytes,
  });
}

export const workspace = { id: 'ws_1', name: 'Workspace', create_time: 1 };

export const documentOf = (blob_id: string): NewDocument => ({
  id: `doc_${blob_id}`,
  workspace_id: workspace.id,
  name: 'Terms',
  content_type: 'application/octet-stream',
  size_bytes: 10,
  sha256: '',
  page_count: 0,
  blob_id,
  create_time: 1,
});

export async function* terms(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('The terms.');
}

/** A database and a folder of blobs, which several processes open. */
export async function openBlobFolder(dialect: Dialect) {
  const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
  await transact(db, (trx) => insertWorkspace(trx, workspace));
  const root = await mkdtemp(path.join(tmpdir(), 'latchkey-blobs-'));
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 10 }));

  async function store(staged: StagedBlobs): Promise<string> {
    const blob = await staged.write(terms());
    await blob.commit((settle) => insert(blob.id, settle));
    return blob.id;
  }

  /** Inserts the document of a blob. */
  const insert = (id: string, settle: (trx: Executor) => Promise<void>): Promise<void> =>
    transact(db, async (trx) => {
      await settle(trx);
      await insertDocument(trx, documentOf(id));
    });

  /** Deletes the document of a blob; `then` runs after the transaction. */
  const remove = (staged: StagedBlobs, id: string, then = async () => {}): Promise<void> =>
    staged.remove(async (unsettle) => {
      await transact(db, async (trx) => {
        await trx.deleteFrom('documents').where('blob_id', '=', id).execute();
        await unsettle(trx, [id]);
      });
      await then();
    });

  return {
    db,
    root,
    /** Opens staged blobs. `change` replaces methods of the store. */
    async open(leaseMs?: number, change?: (blobs: BlobStore) => BlobStore): Promise<StagedBlobs> {
      const staged = await openStagedBlobs(db, root, leaseMs, change);
      onTestFinished(() => staged.close());
      return staged;
    },
    store,
    insert,
    remove,
    state: async () => ({ files: await filesUnder(root), rows: await pendingBlobsOf(db) }),
  };
}
