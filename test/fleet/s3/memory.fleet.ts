import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openS3Blobs, type S3Blobs } from '../../../src/sharing/blobs/s3.ts';
import { mib, partBytes } from './blob-content.ts';
import { newBucket } from './bucket.ts';
import { type StoreProxy, startStoreProxy } from './proxy.ts';

let proxy: StoreProxy;
let blobs: S3Blobs;
beforeAll(async () => {
  const { location } = await newBucket();
  proxy = await startStoreProxy(`${location.endpoint}`);
  blobs = await openS3Blobs({ ...location, endpoint: proxy.endpoint });
});
afterAll(async () => {
  await blobs?.close();
  await proxy?.close();
});

let last = 0;
const newId = () => `blob${last++}`;

describe('the memory of uploads', () => {
  test('is three parts each, however fast their sources are', async () => {
    const [uploads, size] = [8, 64 * mib];
    const piece = randomBytes(mib);
    let pulled = 0;
    let aheadMax = 0;
    const before = proxy.sentBytes();
    async function* source() {
      for (let i = 0; i < size / mib; i++) {
        pulled += piece.length;
        aheadMax = Math.max(aheadMax, pulled - (proxy.sentBytes() - before));
        yield piece;
      }
    }
    const ids = Array.from({ length: uploads }, newId);
    await Promise.all(ids.map((id) => blobs.write(id, source())));
    expect(pulled).toBe(uploads * size);
    expect(aheadMax).toBeLessThan(uploads * 3 * partBytes);
    for (const id of ids) await blobs.remove(id);
  });
});
