// The blob store with an S3 store that is broken, slow or away, behind a proxy.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { PutBucketPolicyCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { S3Location } from '../../../src/base/config/blob-url.ts';
import { openS3Blobs, type S3Blobs } from '../../../src/sharing/blobs/s3.ts';
import { type S3Server, startRadosgw } from '../components/radosgw.ts';
import { digest, mib, partBytes, pieces, readBlob } from './blob-content.ts';
import { newBucket, type TestBucket, useKeys } from './bucket.ts';
import { certificate } from './certificate.ts';
import { type StoreProxy, startStoreProxy } from './proxy.ts';

let server: S3Server;
let bucket: TestBucket;
let proxy: StoreProxy;
let blobs: S3Blobs;
beforeAll(async () => {
  server = await startRadosgw();
  bucket = await newBucket({ endpoint: server.endpoint, ...server.keys });
  proxy = await startStoreProxy(server.endpoint);
  blobs = await openS3Blobs({ ...bucket.location, endpoint: proxy.endpoint });
});
afterAll(async () => {
  await blobs?.close();
  await proxy?.close();
  await server?.stop();
});

let last = 0;
const newId = () => `blob${last++}`;
const unavailable = expect.objectContaining({ code: 'unavailable', status: 503 });

/** Opens the store with other settings or credentials. */
async function openOther(location: Partial<S3Location>, keys = server.keys): Promise<S3Blobs> {
  useKeys(keys);
  const other = await openS3Blobs({ ...bucket.location, ...location });
  onTestFinished(async () => {
    await other.close();
    useKeys(server.keys);
  });
  return other;
}

/** Expects every method to report that the store is unavailable. */
async function expectUnavailable(store: S3Blobs): Promise<void> {
  const id = newId();
  const calls = {
    write: () => store.write(id, pieces(randomBytes(10))),
    writeParts: () => store.write(id, pieces(randomBytes(partBytes + 1))),
    read: () => readBlob(store, id, 10),
    remove: () => store.remove(id),
    check: () => store.check(),
    hasBlobs: () => store.hasBlobs(),
  };
  for (const [name, call] of Object.entries(calls)) {
    await expect(call(), name).rejects.toEqual(unavailable);
  }
}

describe('a byte that changes on the way to the store', () => {
  const marker = Buffer.from('this byte changes');

  function breakMarker(chunk: Buffer): Buffer {
    const at = chunk.indexOf(marker);
    if (at < 0) return chunk;
    const broken = Buffer.from(chunk);
    broken.writeUInt8(chunk.readUInt8(at) ^ 1, at);
    return broken;
  }

  async function expectRefusals(store: S3Blobs, changing: StoreProxy): Promise<void> {
    const before = await bucket.keys();
    for (const [size, at] of [
      [1000, 500],
      [3 * partBytes, 100],
      [3 * partBytes, 2 * partBytes + 1000],
    ] as const) {
      const bytes = randomBytes(size);
      marker.copy(bytes, at);
      let broken = 0;
      changing.changeRequests((chunk) => {
        const changed = breakMarker(chunk);
        if (changed !== chunk) broken++;
        return changed;
      });
      await expect(store.write(newId(), pieces(bytes)), `${size}`).rejects.toEqual(unavailable);
      expect(broken).toBeGreaterThan(0);
      changing.changeRequests(undefined);
      const id = newId();
      await store.write(id, pieces(bytes));
      expect(digest(await readBlob(store, id, size))).toBe(digest(bytes));
      await store.remove(id);
    }
    expect(await bucket.uploads()).toEqual([]);
    expect(await bucket.keys()).toEqual(before);
  }

  test('is refused over HTTP', () => expectRefusals(blobs, proxy));

  test('is refused over HTTPS', async () => {
    const tls = await startStoreProxy(server.endpoint, await certificate());
    onTestFinished(tls.close);
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    onTestFinished(() => void delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
    await expectRefusals(await openOther({ endpoint: tls.endpoint }), tls);
  });
});

describe('an S3 store is unavailable', () => {
  test('with wrong credentials', async () => {
    const wrong = { ...server.keys, secretAccessKey: 'wrong' };
    await expectUnavailable(await openOther({}, wrong));
  });

  test('with a wrong bucket', async () => {
    await expectUnavailable(await openOther({ bucket: 'there-is-none' }));
  });

  test('with an untrusted certificate', async () => {
    const tls = await startStoreProxy(server.endpoint, await certificate());
    onTestFinished(tls.close);
    await expectUnavailable(await openOther({ endpoint: tls.endpoint }));
  });

  test('with a response that is not from S3', async () => {
    const web = createServer((request, response) => {
      request.resume();
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>');
    });
    web.listen(0, '127.0.0.1');
    await once(web, 'listening');
    onTestFinished(() => void web.closeAllConnections());
    onTestFinished(() => void web.close());
    const bound = web.address();
    const port = typeof bound === 'object' ? bound?.port : '';
    await expectUnavailable(await openOther({ endpoint: `http://127.0.0.1:${port}` }));
  });

  test('for writing with credentials that only permit reading', async () => {
    const reader = await server.createUser();
    const { bucket: Bucket } = bucket.location;
    const Policy = JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { AWS: [`arn:aws:iam:::user/${reader.accessKeyId}`] },
          Action: ['s3:GetObject', 's3:ListBucket'],
          Resource: [`arn:aws:s3:::${Bucket}`, `arn:aws:s3:::${Bucket}/*`],
        },
      ],
    });
    await bucket.client.send(new PutBucketPolicyCommand({ Bucket, Policy }));
    const id = newId();
    await blobs.write(id, pieces(randomBytes(10)));
    const other = await openOther({}, reader);
    expect(await readBlob(other, id, 10)).toHaveLength(10);
    await expect(other.check()).rejects.toEqual(unavailable);
    await expect(other.write(newId(), pieces(randomBytes(10)))).rejects.toEqual(unavailable);
  });
});

describe('a killed S3 store', () => {
  test('is unavailable, and works after its restart', async () => {
    await server.kill();
    await expectUnavailable(blobs);
    await server.start();
    await blobs.check();
    const id = newId();
    await blobs.write(id, pieces(randomBytes(10)));
    expect(await readBlob(blobs, id, 10)).toHaveLength(10);
  });

  test('fails an upload, whose parts are removed after the restart', async () => {
    const id = newId();
    async function* source() {
      yield* pieces(randomBytes(2 * partBytes));
      await expect.poll(bucket.uploads).toHaveLength(1);
      await server.kill();
      yield* pieces(randomBytes(2 * partBytes));
    }
    await expect(blobs.write(id, source())).rejects.toEqual(unavailable);
    await server.start();
    expect(await bucket.uploads()).toHaveLength(1);
    await blobs.remove(id);
    expect(await bucket.uploads()).toEqual([]);
  });

  test('fails a download', async () => {
    const id = newId();
    const size = 64 * mib;
    await blobs.write(id, pieces(randomBytes(size)));
    const chunks = blobs.read(id, { offset: 0, length: size, sizeBytes: size });
    let read = 0;
    async function readAll() {
      for await (const chunk of chunks) {
        if (read === 0) await server.kill();
        read += chunk.length;
      }
    }
    await expect(readAll()).rejects.toEqual(unavailable);
    expect(read).toBeLessThan(size);
    await server.start();
    await blobs.remove(id);
  });

  test('does not fail a download if it restarts soon', async () => {
    const id = newId();
    const bytes = randomBytes(64 * mib);
    await blobs.write(id, pieces(bytes));
    const read: Uint8Array[] = [];
    for await (const chunk of blobs.read(id, {
      offset: 0,
      length: bytes.length,
      sizeBytes: bytes.length,
    })) {
      if (read.length === 0) {
        await server.kill();
        await server.start();
      }
      read.push(chunk);
    }
    expect(digest(Buffer.concat(read))).toBe(digest(bytes));
    await blobs.remove(id);
  });
});

describe('a slow S3 store', () => {
  test('is unavailable if it sends nothing', async () => {
    const id = newId();
    await blobs.write(id, pieces(randomBytes(1000)));
    proxy.hold(true);
    const results = await Promise.allSettled([
      blobs.write(newId(), pieces(randomBytes(partBytes + 1))),
      readBlob(blobs, id, 1000),
      blobs.remove(newId()),
      blobs.check(),
    ]);
    const failed = { status: 'rejected', reason: unavailable };
    expect(results).toEqual([failed, failed, failed, failed]);
    proxy.hold(false);
    proxy.cutConnections();
    expect(await readBlob(blobs, id, 1000)).toHaveLength(1000);
  });

  test('receives an upload in bursts', async () => {
    const pulse = setInterval(() => {
      proxy.hold(true);
      setTimeout(() => proxy.hold(false), 300);
    }, 400);
    onTestFinished(() => clearInterval(pulse));
    const id = newId();
    const bytes = randomBytes(2 * partBytes);
    await blobs.write(id, pieces(bytes));
    expect(digest(await readBlob(blobs, id, bytes.length))).toBe(digest(bytes));
    clearInterval(pulse);
    proxy.hold(false);
  });

  test('keeps a download whose reader pauses for longer than the store may', async () => {
    const id = newId();
    const bytes = randomBytes(16 * mib);
    await blobs.write(id, pieces(bytes));
    const before = proxy.receivedBytes();
    const read: Uint8Array[] = [];
    for await (const chunk of blobs.read(id, {
      offset: 0,
      length: bytes.length,
      sizeBytes: bytes.length,
    })) {
      if (read.length === 0) await sleep(7_000);
      read.push(chunk);
    }
    expect(digest(Buffer.concat(read))).toBe(digest(bytes));
    // The bytes came with one response.
    expect(proxy.receivedBytes() - before).toBeLessThan(bytes.length + 10_000);
  });

  test('sends no more to a reader that has stopped', async () => {
    const id = newId();
    const bytes = randomBytes(64 * mib);
    await blobs.write(id, pieces(bytes));
    proxy.cutConnections();
    await expect.poll(proxy.connections).toBe(0);
    const before = proxy.receivedBytes();
    for await (const _ of blobs.read(id, {
      offset: 0,
      length: bytes.length,
      sizeBytes: bytes.length,
    }))
      break;
    await expect.poll(proxy.connections).toBe(0);
    expect(proxy.receivedBytes() - before).toBeLessThan(bytes.length / 2);
  });
});
