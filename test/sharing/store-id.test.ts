// The id by which the blob store and the database recognize each other.
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { QueryId } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import type { BlobStore } from '../../src/sharing/blobs/blob-store.ts';
import { openBlobStore, openMarkedStore } from '../../src/sharing/blobs/open-store.ts';
import { createStoreIds } from '../../src/sharing/blobs/own-store.ts';
import { insertDocument } from '../../src/sharing/documents/store.ts';
import { insertWorkspace } from '../../src/sharing/workspaces/store.ts';
import { transact } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { type Dialect, describeFeature } from '../support/matrix.ts';
import { documentOf, terms, workspace } from '../support/pending-blobs.ts';
import { itHoldsFor } from '../support/rule.ts';
import { filesUnder } from '../support/sharing-api.ts';

async function newRoot(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-blobs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return path.join(folder, 'blobs');
}

/** Opens the store like a process of the service, or like a command that only reads. */
function open(db: Database, root: string, mode: 'service' | 'reader' = 'service') {
  const random = mode === 'service' ? { random: randomBytes } : {};
  return openBlobStore({ kind: 'folder', path: root }, createStoreIds({ db, ...random }));
}

async function read(blobs: BlobStore, id: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  const part = { offset: 0, length: 10, sizeBytes: 10 };
  for await (const chunk of blobs.read(id, part)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const idsOf = async (db: Database) =>
  (await db.selectFrom('blob_stores').select('id').execute()).map(({ id }) => id);

const markerOf = (root: string) => path.join(root, 'marker');

const wrongStore = (reason: string) => ({
  code: 'unavailable',
  message: 'The document store is unreachable.',
  cause: { message: expect.stringContaining(reason) },
});

async function openDatabase(dialect: Dialect): Promise<{ url: string; db: Database }> {
  const url = await migratedDatabaseUrl(dialect);
  return { url, db: await openUntilFinished(url) };
}

/** A database of release 0.1 with documents, two of them damaged, and their store. */
async function openOldInstallation(dialect: Dialect) {
  const { db } = await openDatabase(dialect);
  const root = await newRoot();
  await transact(db, async (trx) => {
    await insertWorkspace(trx, workspace);
    for (const id of ['aaa', 'bbb', 'ccc']) await insertDocument(trx, documentOf(id));
  });
  await mkdir(path.join(root, 'cc'), { recursive: true });
  await writeFile(path.join(root, 'cc/ccc'), 'The terms.');
  return { db, root };
}

describeFeature('the store of a database', (dialect) => {
  it('is chosen once by processes that start at the same time', async () => {
    const { url, db } = await openDatabase(dialect);
    const root = await newRoot();
    const processes = [db, ...(await Promise.all([1, 2, 3].map(() => openUntilFinished(url))))];

    const stores = await Promise.all(processes.map((one) => open(one, root)));
    await Promise.all([...stores, ...stores].map((store) => store.check()));

    const marker = await readFile(markerOf(root), 'utf8');
    expect(await idsOf(db)).toEqual([marker.trim()]);
    expect(marker).toMatch(/^\w{22}\n$/);
  });

  it('is only one folder if processes with two folders start at the same time', async () => {
    const { url, db } = await openDatabase(dialect);
    const roots = [await newRoot(), await newRoot()];
    const start = async (i: number) => {
      const store = await open(await openUntilFinished(url), roots[i % 2] ?? '');
      return store.check().then(
        () => i % 2,
        () => undefined,
      );
    };

    const accepted = await Promise.all([0, 1, 2, 3, 4, 5].map(start));

    const used = accepted.filter((one) => one !== undefined);
    expect(new Set(used).size).toBe(1);
    expect(used).toHaveLength(3);
    const marker = await readFile(markerOf(roots[used[0] ?? 0] ?? ''), 'utf8');
    expect(await idsOf(db)).toEqual([marker.trim()]);
  });

  it('keeps the id of its marker if the database does not know it', async () => {
    const { db } = await openDatabase(dialect);
    const root = await newRoot();
    await (await open(db, root)).check();
    const ids = await idsOf(db);
    // The state after a crash before the commit.
    await db.deleteFrom('blob_stores').execute();

    await (await open(db, root)).check();

    expect(await idsOf(db)).toEqual(ids);
  });

  it('is neither written nor read while its volume is not mounted', async () => {
    const { db } = await openDatabase(dialect);
    const root = await newRoot();
    const blobs = await open(db, root);
    await blobs.write('aaa', terms());
    await rename(root, `${root}.away`);
    const refused = wrongStore(
      `check that its volume is mounted at ${root}, and LATCHKEY_BLOB_URL`,
    );

    for (const prepare of [
      () => mkdir(root),
      () => writeFile(markerOf(root), ''),
      () => writeFile(markerOf(root), 'another'),
      // A folder that an earlier release has written to the mount point.
      () => mkdir(path.join(root, 'aa')),
    ]) {
      await prepare();
      const before = await readdir(root, { recursive: true });
      await expect(blobs.write('aab', terms())).rejects.toMatchObject(refused);
      await expect(blobs.write('bbb', terms())).rejects.toMatchObject(refused);
      await expect(blobs.remove('aaa')).rejects.toMatchObject(refused);
      await expect(read(blobs, 'aaa')).rejects.toMatchObject(refused);
      await expect(blobs.check()).rejects.toMatchObject(refused);
      expect(await readdir(root, { recursive: true })).toEqual(before);
    }

    await rm(root, { recursive: true });
    await rename(`${root}.away`, root);
    await blobs.write('bbb', terms());
    expect(await read(blobs, 'aaa')).toBe('The terms.');
  });
});

// SQLite answers one query after the other.
it('the store is chosen once by two first operations of which one reads slowly', async () => {
  const { db } = await openDatabase('postgres');
  const folder = await openMarkedStore({ kind: 'folder', path: await newRoot() });
  const events = new EventEmitter();
  const marked = once(events, 'marked');
  const queries: QueryId[] = [];
  const held = db.withPlugin({
    transformQuery({ node, queryId }) {
      queries.push(queryId);
      return node;
    },
    async transformResult({ queryId, result }) {
      if (queryId === queries[1]) await marked;
      return result;
    },
  });
  const store = {
    ...folder,
    async readId() {
      const id = await folder.readId();
      if (id !== '') events.emit('marked');
      await setImmediate();
      return id;
    },
  };
  const requireOwn = createStoreIds({ db: held, random: randomBytes });

  await Promise.all([requireOwn(store), requireOwn(store)]);

  expect(await idsOf(db)).toEqual([await folder.readId()]);
});

describeFeature('a database without the id of its store', (dialect) => {
  itHoldsFor(['no marker', 'an empty marker'])(
    'accepts its documents without a valid marker',
    async (kind) => {
      const { db, root } = await openOldInstallation(dialect);
      if (kind === 'an empty marker') await writeFile(markerOf(root), '');
      const blobs = await open(db, root);

      await blobs.check();

      expect(await idsOf(db)).toEqual([(await readFile(markerOf(root), 'utf8')).trim()]);
      expect(await read(blobs, 'ccc')).toBe('The terms.');
      await expect(read(blobs, 'aaa')).rejects.toMatchObject({ damage: 'missing' });
    },
  );

  itHoldsFor([
    ['a missing folder', async () => {}],
    ['an empty folder', (root: string) => mkdir(root)],
    [
      'an empty marker',
      async (root: string) => {
        await mkdir(root);
        await writeFile(markerOf(root), '');
      },
    ],
    [
      'the marker of another store',
      async (root: string) => {
        await mkdir(root);
        await writeFile(markerOf(root), 'another');
      },
    ],
    ['folders of release 0.1', (root: string) => mkdir(`${root}/pending`, { recursive: true })],
  ])('refuses a store without its documents', async (_, prepare) => {
    const { db, root } = await openOldInstallation(dialect);
    await rename(root, `${root}.away`);
    await prepare(root);
    const before = await filesUnder(root).catch(() => 'missing');
    const blobs = await open(db, root);
    const refused = wrongStore('has none of the documents in the database');

    await expect(blobs.check()).rejects.toMatchObject(refused);
    await expect(blobs.write('ddd', terms())).rejects.toMatchObject(refused);
    await expect(blobs.remove('aaa')).rejects.toMatchObject(refused);
    await expect(read(blobs, 'aaa')).rejects.toMatchObject(refused);

    expect(await idsOf(db)).toEqual([]);
    expect(await filesUnder(root).catch(() => 'missing')).toEqual(before);
  });

  it('gets no id from a command that only reads', async () => {
    const { db, root } = await openOldInstallation(dialect);
    const reader = await open(db, root, 'reader');
    expect(await read(reader, 'ccc')).toBe('The terms.');
    await expect(read(reader, 'aaa')).rejects.toMatchObject({ damage: 'missing' });

    const elsewhere = await open(db, `${root}.other`, 'reader');
    await expect(read(elsewhere, 'ccc')).rejects.toMatchObject(
      wrongStore('has none of the documents in the database'),
    );

    expect(await filesUnder(path.dirname(root))).toEqual(['blobs/cc/ccc']);
    expect(await idsOf(db)).toEqual([]);
  });
});
