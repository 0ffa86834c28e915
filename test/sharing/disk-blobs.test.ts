// The disk store alone, without rows.
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DamagedBlob } from '../../src/base/files/damaged-blob.ts';
import type { BlobStore } from '../../src/sharing/blobs/blob-store.ts';
import { openDiskBlobs } from '../../src/sharing/blobs/disk.ts';
import { itHoldsFor } from '../support/rule.ts';
import { filesUnder } from '../support/sharing-api.ts';

async function open(): Promise<{ root: string; blobs: BlobStore }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-blobs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const root = path.join(folder, 'blobs');
  const blobs = openDiskBlobs(root);
  await blobs.writeId('id');
  return { root, blobs };
}

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

async function read(blobs: BlobStore, id: string, sizeBytes: number): Promise<string> {
  const part = { offset: 0, length: sizeBytes, sizeBytes };
  const chunks: Uint8Array[] = [];
  for await (const chunk of blobs.read(id, part)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

it('a second write of the same id fails and does not change the blob', async () => {
  const { blobs } = await open();
  await blobs.write('aaa', bytesOf('first'));

  await expect(blobs.write('aaa', bytesOf('second'))).rejects.toMatchObject({ code: 'EEXIST' });

  expect(await read(blobs, 'aaa', 5)).toBe('first');
});

it('a failed write leaves parts that a removal finds', async () => {
  const { root, blobs } = await open();
  async function* failing() {
    yield Buffer.from('fir');
    throw new Error('cut');
  }
  await expect(blobs.write('aaa', failing())).rejects.toThrow('cut');
  expect(await filesUnder(root)).toEqual(['aa/aaa']);

  await blobs.remove('aaa');
  await blobs.remove('aaa');

  expect(await filesUnder(root)).toEqual([]);
});

itHoldsFor([
  // Reading the first page of this file fails with EIO.
  ['EIO', '/proc/self/mem'],
  ['ELOOP', 'aaa'],
])('an unreadable file is damaged, and the store stays available', async (_, target) => {
  const { root, blobs } = await open();
  await blobs.write('aab', bytesOf('other'));
  await symlink(target, path.join(root, 'aa', 'aaa'));
  const part = { offset: 0, length: 5, sizeBytes: 0 };

  const reading = blobs.read('aaa', part)[Symbol.asyncIterator]().next();

  await expect(reading).rejects.toEqual(new DamagedBlob('aaa', 'unreadable'));
  expect(await read(blobs, 'aab', 5)).toBe('other');
});

itHoldsFor(['../victim.txt', '..', 'aa/../../victim.txt', ''], 4)(
  'an id cannot name a file outside the store',
  async (id) => {
    const { root, blobs } = await open();
    const victim = path.join(root, '../victim.txt');
    await writeFile(victim, 'x');

    await expect(read(blobs, id, 1)).rejects.toThrow('not the id of a blob');
    await expect(blobs.remove(id)).rejects.toThrow('not the id of a blob');
    await expect(blobs.write(id, bytesOf('y'))).rejects.toThrow('not the id of a blob');

    expect(await readFile(victim, 'utf8')).toBe('x');
  },
);
