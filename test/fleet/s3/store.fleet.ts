// The blob store on a real S3 store.
import { randomBytes } from 'node:crypto';
import { CreateMultipartUploadCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DamagedBlob } from '../../../src/base/files/damaged-blob.ts';
import { openS3Blobs, type S3Blobs } from '../../../src/sharing/blobs/s3.ts';
import { digest, mib, partBytes, pieces, readBlob } from './blob-content.ts';
import { newBucket, type TestBucket } from './bucket.ts';

let bucket: TestBucket;
let blobs: S3Blobs;
beforeAll(async () => {
  bucket = await newBucket();
  blobs = await openS3Blobs(bucket.location);
});
afterAll(() => blobs.close());

let last = 0;
const newId = () => `blob${last++}`;

async function writeRandom(size: number) {
  const id = newId();
  const bytes = randomBytes(size);
  await blobs.write(id, pieces(bytes));
  return { id, bytes };
}

describe('a blob in an S3 store', () => {
  test.each([
    ['is empty', 0],
    ['has one byte', 1],
    ['is smaller than a part', 300_000],
    ['has exactly one part', partBytes],
    ['has one byte more than a part', partBytes + 1],
    ['has exactly two parts', 2 * partBytes],
    ['has 64 MiB', 64 * mib],
  ])('is read as it was written if it %s', async (_, size) => {
    const { id, bytes } = await writeRandom(size);
    expect(digest(await readBlob(blobs, id, size))).toBe(digest(bytes));
    expect(await bucket.uploads()).toEqual([]);
    await blobs.remove(id);
  });

  test('is read in ranges', async () => {
    const { id, bytes } = await writeRandom(2 * partBytes + 17);
    const ranges = [
      [0, 1],
      [0, 0],
      [bytes.length - 1, 1],
      [bytes.length, 0],
      [partBytes - 10, 20],
      [1, bytes.length - 1],
    ] as const;
    for (const range of ranges) {
      const [offset, length] = range;
      const part = await readBlob(blobs, id, bytes.length, range);
      expect(part.equals(bytes.subarray(offset, offset + length))).toBe(true);
    }
  });

  test('is not replaced by another upload', async () => {
    const { id, bytes } = await writeRandom(1000);
    await expect(blobs.write(id, pieces(randomBytes(1000)))).rejects.toThrow();
    expect(await readBlob(blobs, id, 1000)).toEqual(bytes);
  });

  test('is stored by only one of two simultaneous uploads', async () => {
    const id = newId();
    const both = [randomBytes(1000), randomBytes(1000)] as const;
    const results = await Promise.allSettled(both.map((bytes) => blobs.write(id, pieces(bytes))));
    const stored = both.filter((_, i) => results[i]?.status === 'fulfilled');
    expect(stored).toEqual([await readBlob(blobs, id, 1000)]);
  });

  test('is whole after two simultaneous uploads in parts', async () => {
    const id = newId();
    const size = 2 * partBytes;
    const both = [randomBytes(size), randomBytes(size)] as const;
    await Promise.allSettled(both.map((bytes) => blobs.write(id, pieces(bytes))));
    // Ceph 16 ignores the condition when it completes an upload in parts, so either may be stored.
    expect(both.map(digest)).toContain(digest(await readBlob(blobs, id, size)));
    expect(await bucket.uploads()).toEqual([]);
  });

  test('is damaged if it has another size than its row', async () => {
    const { id } = await writeRandom(1000);
    const cases = [
      [999, 0, 999],
      [1001, 0, 1001],
      [1001, 1000, 1],
      [5000, 3000, 10],
      [999, 5, 10],
      [0, 0, 0],
    ] as const;
    for (const [size, ...range] of cases) {
      await expect(readBlob(blobs, id, size, range)).rejects.toEqual(new DamagedBlob(id, 'size'));
    }
  });

  test.each([0, 10])('is damaged if it is missing, with %i bytes', async (size) => {
    const id = newId();
    await expect(readBlob(blobs, id, size)).rejects.toEqual(new DamagedBlob(id, 'missing'));
  });

  test('is removed, once or twice', async () => {
    const { id } = await writeRandom(10);
    await blobs.remove(id);
    await blobs.remove(id);
    await expect(readBlob(blobs, id, 10)).rejects.toEqual(new DamagedBlob(id, 'missing'));
  });

  test('has its incomplete uploads removed, and no others', async () => {
    const id = newId();
    const { bucket: Bucket, prefix } = bucket.location;
    for (const name of [id, id, id, `${id}0`, newId()]) {
      const Key = `${prefix}${name}`;
      await bucket.client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    }
    await blobs.remove(id);
    expect(await bucket.uploads()).toEqual([`${prefix}${id}0`, `${prefix}blob${last - 1}`].sort());
  });

  test('leaves nothing behind if its source fails', async () => {
    const before = [await bucket.keys(), await bucket.uploads()];
    for (const size of [0, 10, partBytes, 3 * partBytes]) {
      const failure = new Error('the client has gone');
      async function* source() {
        yield* pieces(randomBytes(size));
        throw failure;
      }
      await expect(blobs.write(newId(), source())).rejects.toBe(failure);
    }
    expect([await bucket.keys(), await bucket.uploads()]).toEqual(before);
  });
});

describe('an S3 store', () => {
  test('is found empty or not', async () => {
    const { location, client } = await newBucket();
    const other = await openS3Blobs(location);
    const Bucket = location.bucket;
    await client.send(new PutObjectCommand({ Bucket, Key: 'some/blobsX', Body: 'x' }));
    await client.send(new PutObjectCommand({ Bucket, Key: 'some/blobs/probe', Body: 'x' }));
    await other.writeId('id');
    expect(await other.hasBlobs()).toBe(false);
    await other.write('x', pieces(randomBytes(5)));
    expect(await other.hasBlobs()).toBe(true);
    await other.close();
  });

  test('leaves no object behind when it is checked', async () => {
    const { location, keys } = await newBucket();
    const other = await openS3Blobs(location);
    await other.check();
    await other.check();
    expect(await keys()).toEqual([]);
    await other.close();
  });
});
