// The blob store with a proxy that answers instead of the S3 store, or changes its responses.
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openS3Blobs, type S3Blobs } from '../../../src/sharing/blobs/s3.ts';
import { partBytes, pieces, readBlob } from './blob-content.ts';
import { newBucket, type TestBucket } from './bucket.ts';
import { type StoreProxy, startStoreProxy } from './proxy.ts';

let bucket: TestBucket;
let proxy: StoreProxy;
let blobs: S3Blobs;
beforeAll(async () => {
  bucket = await newBucket();
  proxy = await startStoreProxy(`${bucket.location.endpoint}`);
  blobs = await openS3Blobs({ ...bucket.location, endpoint: proxy.endpoint });
});
afterAll(async () => {
  await blobs?.close();
  await proxy?.close();
});
afterEach(() => {
  proxy.answerRequests(undefined);
  proxy.changeResponses(undefined);
});

let last = 0;
const newId = () => `blob${last++}`;
const unavailable = expect.objectContaining({ code: 'unavailable', status: 503 });

const ok = (type: string, body: string) =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n` +
  `connection: close\r\n\r\n${body}`;

describe.each([
  ['well-formed', '<html><body>Sign in</body></html>'],
  ['not well-formed', '<!doctype html><html><br>Sign in</html'],
])('a proxy that answers with a web page (%s)', (_, page) => {
  const web = ok('text/html', page);

  test('makes the store unavailable', async () => {
    proxy.answerRequests(() => web);
    await expect(blobs.write(newId(), pieces(randomBytes(10)))).rejects.toEqual(unavailable);
    const parts = blobs.write(newId(), pieces(randomBytes(partBytes + 1)));
    await expect(parts).rejects.toEqual(unavailable);
    await expect(readBlob(blobs, newId(), 10)).rejects.toEqual(unavailable);
    await expect(blobs.readId()).rejects.toEqual(unavailable);
    await expect(blobs.writeId('id')).rejects.toEqual(unavailable);
    await expect(blobs.probe()).rejects.toEqual(unavailable);
  });

  test.each([
    ['creation', /^POST [^ ]*[?&]uploads/],
    ['second part', /^PUT [^ ]*[?&]partNumber=2/],
    ['completion', /^POST [^ ]*[?&]uploadId=/],
  ])('fails an upload in parts if it answers the request for the %s', async (_, request) => {
    proxy.answerRequests((text) => (request.test(text) ? web : undefined));
    const upload = blobs.write(newId(), pieces(randomBytes(partBytes + 1)));
    await expect(upload).rejects.toEqual(unavailable);
    expect(await bucket.uploads()).toEqual([]);
    expect(await bucket.keys()).toEqual([]);
  });
});

describe('a range of a blob', () => {
  test('with the wrong offset is refused', async () => {
    const id = newId();
    await blobs.write(id, pieces(randomBytes(1000)));
    let changed = 0;
    proxy.changeResponses((chunk) => {
      const text = chunk.toString('latin1').replace('bytes 10-19/1000', 'bytes 20-29/1000');
      const result = Buffer.from(text, 'latin1');
      if (!result.equals(chunk)) changed++;
      return result;
    });
    await expect(readBlob(blobs, id, 1000, [10, 10])).rejects.toEqual(unavailable);
    expect(changed).toBe(1);
    expect(await readBlob(blobs, id, 1000, [30, 10])).toHaveLength(10);
    await blobs.remove(id);
  });
});

describe('a list of uploads that never ends', () => {
  const listOf = (next: string) =>
    ok(
      'application/xml',
      `<ListMultipartUploadsResult><IsTruncated>true</IsTruncated>${next}` +
        '</ListMultipartUploadsResult>',
    );

  test.each([
    ['without markers', () => ''],
    ['with new markers', (page: number) => `<NextKeyMarker>${page}</NextKeyMarker>`],
  ])('%s does not stop the removal of a blob', async (_, nextOf) => {
    const id = newId();
    await blobs.write(id, pieces(randomBytes(10)));
    let lists = 0;
    proxy.answerRequests((text) =>
      /^GET [^ ]*[?&]uploads/.test(text) ? listOf(nextOf(lists++)) : undefined,
    );
    await blobs.remove(id);
    expect(lists).toBeGreaterThan(0);
    expect(await bucket.keys()).toEqual([]);
  });
});
