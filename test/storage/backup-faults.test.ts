// Faults of the blob store during a backup, and forged backups.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { createBackup } from '../../src/backup/create.ts';
import { type BlobMode, formatVersion, type Manifest } from '../../src/backup/format.ts';
import { withLease } from '../../src/backup/lease.ts';
import { type RestoreResult, restoreBackup } from '../../src/backup/restore.ts';
import { restoreLease } from '../../src/backup/store.ts';
import { fail } from '../../src/base/errors/errors.ts';
import { DamagedBlob } from '../../src/base/files/damaged-blob.ts';
import type { BlobStore } from '../../src/sharing/blobs/blob-store.ts';
import { openDiskBlobs } from '../../src/sharing/blobs/disk.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { newFolder } from '../support/backups.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { startTestApp } from '../support/harness.ts';
import { itHoldsFor } from '../support/rule.ts';
import { blobDirOf, filesUnder, upload } from '../support/sharing-api.ts';

const manifest: Manifest = {
  format: 'latchkey-backup',
  version: formatVersion,
  release: '0.0.0',
  create_time: '2030-01-01T00:00:00.000Z',
  migrations: [],
  master_key: { id: '', source: 'setting' },
  blobs: 'content',
};

const signal = new AbortController().signal;

function backUp(
  db: Database,
  blobs: Pick<BlobStore, 'read'>,
  mode: BlobMode = 'content',
): AsyncIterable<Uint8Array> {
  const keyFiles = { masterKey: undefined, nextMasterKey: undefined };
  const requireOwn = async () => {};
  const modeManifest = { ...manifest, blobs: mode };
  return createBackup({ db, blobs, manifest: modeManifest, keyFiles, requireOwn, signal }).bytes;
}

async function restore(db: Database, root: string, bytes: AsyncIterable<Uint8Array>) {
  await mkdir(root, { recursive: true });
  const blobs = openDiskBlobs(root);
  const keys = { placeKeys: async () => {}, requireKeys: async () => {} };
  return restoreBackup(bytes, (_, fill) =>
    withLease(
      db,
      restoreLease,
      signal,
      (held, leaseOwner): Promise<RestoreResult> =>
        fill({ db, blobs, signal: held, leaseOwner, ...keys }),
    ),
  );
}

/** A service with three documents, and a store in which reading the second one fails. */
async function installation(failure: (blobId: string) => unknown) {
  const test = await startTestApp();
  onTestFinished(() => test.remove());
  const documents = [];
  for (const size of [1_000, 700_000, 2_000])
    documents.push(await upload(test, Buffer.alloc(size, 'a')));
  const root = blobDirOf(test);
  const blobs = openDiskBlobs(root);
  const failing: Pick<BlobStore, 'read'> = {
    async *read(id, part) {
      for await (const chunk of blobs.read(id, part)) {
        yield chunk;
        if (part.sizeBytes === 700_000) throw failure(id);
      }
    },
  };
  return { db: test.app.inside.db, blobs: failing, root, damagedId: documents[1]?.id };
}

it('a document that becomes unreadable is named, and the others are in the backup', async () => {
  const { db, blobs, damagedId } = await installation((id) => new DamagedBlob(id, 'unreadable'));
  const target = await openUntilFinished(await migratedDatabaseUrl('sqlite'));
  const root = path.join(await newFolder(), 'blobs');

  const { damaged } = await restore(target, root, backUp(db, blobs));

  expect(damaged).toEqual([damagedId]);
  expect((await filesUnder(root)).filter((name) => name !== 'marker')).toHaveLength(2);
});

it('a backup fails if the store becomes unavailable', async () => {
  const { db, blobs } = await installation(() => fail('unavailable', 'The store is away.'));

  async function readAll(): Promise<void> {
    for await (const _ of backUp(db, blobs));
  }

  await expect(readAll()).rejects.toMatchObject({ code: 'unavailable' });
});

itHoldsFor([
  ['an index', 0],
  ['a row', 1],
  ['a row of a version', 2],
])('a restore refuses a blob id outside the store', async (_, occurrence) => {
  const { db, blobs, root } = await installation(() => new Error());
  const { blob_id } = await db.selectFrom('documents').select('blob_id').executeTakeFirstOrThrow();
  const chunks: Uint8Array[] = [];
  for await (const chunk of backUp(db, blobs, 'references')) chunks.push(chunk);
  const [start = '', ...rest] = Buffer.concat(chunks).toString('latin1').split(blob_id);
  expect(rest).toHaveLength(3);
  const ids = rest.map((_, i) => (i === occurrence ? '../../../../etc/passwd' : blob_id));
  const forged = start + rest.map((text, i) => `${ids[i]}${text}`).join('');
  const target = await openUntilFinished(await migratedDatabaseUrl('sqlite'));

  const restored = restore(target, root, Readable.from([Buffer.from(forged, 'latin1')]));

  await expect(restored).rejects.toThrow('the backup has an invalid id of a blob');
  expect(await target.selectFrom('documents').select('id').execute()).toEqual([]);
});

itHoldsFor([
  ['no list of damaged documents', '"damagex": []'],
  ['an object instead of the list', '"damaged": {}'],
])(
  'a restore refuses an end without the list of damaged documents, and restores nothing',
  async (_, replacement) => {
    const { db, blobs, root } = await installation(() => new Error());
    const chunks: Uint8Array[] = [];
    for await (const chunk of backUp(db, blobs, 'references')) chunks.push(chunk);
    const archive = Buffer.concat(chunks).toString('latin1');
    const own = '"damaged": []';
    expect(archive.split(own)).toHaveLength(2);
    const forged = archive.replace(own, replacement);
    const target = await openUntilFinished(await migratedDatabaseUrl('sqlite'));

    const restored = restore(target, root, Readable.from([Buffer.from(forged, 'latin1')]));

    await expect(restored).rejects.toThrow('the backup has an invalid entry end.json');
    expect(await target.selectFrom('documents').select('id').execute()).toEqual([]);
  },
);
