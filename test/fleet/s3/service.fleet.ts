// The whole service on an S3 store.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/harness.ts';
import { describeDialects } from '../../support/matrix.ts';
import { spawnProgram } from '../../support/program.ts';
import { callSharingApi, keyOf, sha256, upload } from '../../support/sharing-api.ts';
import { type S3Server, startRadosgw } from '../components/radosgw.ts';
import { mib } from './blob-content.ts';
import { newBucket, type TestBucket } from './bucket.ts';

const sampleFile = path.resolve(import.meta.dirname, '../../../docs/sample.pdf');

const rowsOf = ({ app }: TestApp) =>
  app.inside.db.selectFrom('documents').select('blob_id').execute();

const pendingOf = async ({ app }: TestApp) =>
  (await app.inside.db.selectFrom('pending_blobs').selectAll().execute()).length;

/** Expects exactly one object for each document. */
async function expectOneObjectEach(app: TestApp, bucket: TestBucket): Promise<void> {
  await expect.poll(() => pendingOf(app)).toBe(0);
  const names = ['marker', ...(await rowsOf(app)).map(({ blob_id }) => blob_id)];
  const keys = names.map((name) => `${bucket.location.prefix}${name}`);
  // The readiness check writes and deletes this object every few seconds.
  const probe = `${bucket.location.prefix}probe`;
  expect((await bucket.keys()).filter((key) => key !== probe)).toEqual(keys.sort());
  expect(await bucket.uploads()).toEqual([]);
}

describeDialects('the service on an S3 store', (dialect) => {
  let bucket: TestBucket;
  let app: TestApp;
  beforeAll(async () => {
    bucket = await newBucket();
    app = await startTestApp({ dialect, sampleFile, config: { blobs: bucket.location } });
  });
  afterAll(() => app?.remove());

  const contentOf = (id: string, range?: string) =>
    fetch(`${app.app.publicUrl}/api/v1/documents/${id}/file`, {
      headers: { ...keyOf(app), ...(range === undefined ? {} : { range }) },
    });

  test('stores the sample at the first start', async () => {
    expect(await rowsOf(app)).toHaveLength(1);
    await expectOneObjectEach(app, bucket);
  });

  test.each([1, 100_000, 12 * mib])('returns an upload of %i bytes', async (size) => {
    const bytes = randomBytes(size);
    const { id } = await upload(app, bytes);
    const whole = await contentOf(id);
    expect(sha256(new Uint8Array(await whole.arrayBuffer()))).toBe(sha256(bytes));
    const range = await contentOf(id, `bytes=${Math.floor(size / 2)}-`);
    expect(range.status).toBe(206);
    const half = bytes.subarray(Math.floor(size / 2));
    expect(sha256(new Uint8Array(await range.arrayBuffer()))).toBe(sha256(half));
    await expectOneObjectEach(app, bucket);
  });

  test('deletes the object of a deleted document', async () => {
    const { id } = await upload(app, randomBytes(6 * mib));
    expect((await callSharingApi(app, 'DELETE', `/documents/${id}`)).status).toBe(200);
    expect((await contentOf(id)).status).toBe(404);
    await expectOneObjectEach(app, bucket);
  });

  test('keeps nothing of an upload that the client cancels', async () => {
    const cancel = new AbortController();
    async function* body() {
      yield Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n');
      for (let i = 0; i < 12; i++) yield randomBytes(mib);
      await expect.poll(bucket.uploads).toHaveLength(1);
      cancel.abort();
      yield randomBytes(mib);
    }
    const request = {
      method: 'POST',
      headers: { ...keyOf(app), 'content-type': 'multipart/form-data; boundary=b' },
      body: ReadableStream.from(body()),
      signal: cancel.signal,
      duplex: 'half' as const,
    };
    await expect(fetch(`${app.app.publicUrl}/api/v1/documents`, request)).rejects.toThrow();
    await expect.poll(bucket.uploads).toEqual([]);
    await expectOneObjectEach(app, bucket);
  });
});

describe('an outage of the S3 store', () => {
  let server: S3Server;
  let app: TestApp;
  beforeAll(async () => {
    server = await startRadosgw();
    const bucket = await newBucket({ endpoint: server.endpoint, ...server.keys });
    app = await startTestApp({ config: { blobs: bucket.location } });
  });
  afterAll(async () => {
    await app?.remove();
    await server?.stop();
  });

  async function readiness(): Promise<unknown> {
    const response = await fetch(`${app.app.opsUrl}/readyz`);
    return { code: response.status, ...((await response.json()) as object) };
  }
  const ready = (blobs: string) => ({ code: 200, status: 'ok', checks: { blobs } });

  test('causes clear errors with a time for the retry, and ends by itself', async () => {
    const bytes = randomBytes(1000);
    const { id } = await upload(app, bytes);
    await expect.poll(readiness).toMatchObject(ready('ok'));
    await server.kill();
    const content = () =>
      fetch(`${app.app.publicUrl}/api/v1/documents/${id}/file`, { headers: keyOf(app) });
    const form = new FormData();
    form.set('file', new Blob([bytes]), 'file.bin');
    const post = { method: 'POST', headers: keyOf(app), body: form };
    for (const response of [
      await content(),
      await fetch(`${app.app.publicUrl}/api/v1/documents`, post),
    ]) {
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('5');
      expect(await response.json()).toMatchObject({ code: 'unavailable' });
    }
    await expect.poll(readiness, { timeout: 30_000 }).toMatchObject(ready('failing'));
    // The database knows that the bytes are no longer needed.
    expect((await callSharingApi(app, 'DELETE', `/documents/${id}`)).status).toBe(200);
    await server.start();
    await expect.poll(readiness, { timeout: 30_000 }).toMatchObject(ready('ok'));
    await upload(app, bytes);
  });
});

describeDialects('a start with a wrong bucket or prefix', (dialect) => {
  test('reads and writes nothing there', async () => {
    const right = await newBucket();
    const first = await startTestApp({ dialect, config: { blobs: right.location } });
    onTestFinished(() => first.remove());
    const { id } = await upload(first, randomBytes(1000));
    await first.stop();
    const other = await newBucket();
    for (const blobs of [other.location, { ...right.location, prefix: 'some/' }]) {
      const { dataDir, databaseUrl } = first;
      const app = await startTestApp({ dataDir, config: { databaseUrl, blobs } });
      onTestFinished(() => app.stop());
      const form = new FormData();
      form.set('file', new Blob([randomBytes(1000)]), 'file.bin');
      const documents = `${app.app.publicUrl}/api/v1/documents`;
      const post = { method: 'POST', headers: keyOf(app), body: form };
      expect((await fetch(documents, post)).status).toBe(503);
      const content = await fetch(`${documents}/${id}/file`, { headers: keyOf(app) });
      expect(content.status).toBe(503);
      expect((await fetch(`${app.app.opsUrl}/readyz`)).status).toBe(503);
      expect(await app.logText()).toContain('has no marker with the id');
      await app.stop();
    }
    expect(await other.keys()).toEqual([]);
    expect(await right.keys()).toHaveLength(2);
  });
});

describe('latchkey doctor with an S3 store', () => {
  async function doctor(blobUrl: string, words: readonly string[] = []) {
    const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-doctor-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { accessKeyId, secretAccessKey } = inject('s3');
    const env = {
      LATCHKEY_BLOB_URL: blobUrl,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    };
    const program = await spawnProgram(env, folder, ['doctor', ...words]);
    return { status: await program.ended, text: program.stdout(), folder, env };
  }

  const urlOf = ({ location }: TestBucket, name = location.bucket) =>
    `s3://${name}/${location.prefix}?endpoint=${location.endpoint}`;

  test('proves that the bucket is writable', async () => {
    const bucket = await newBucket();
    const { text, status } = await doctor(urlOf(bucket));
    expect(text).toMatch(/^ok +blobs +s3:\/\/.* is writable$/m);
    expect(status).toBe(0);
    expect(await bucket.keys()).toEqual([]);
  });

  test('names a missing bucket', async () => {
    const { text, status } = await doctor(urlOf(await newBucket(), 'no-such-bucket'));
    expect(text).toMatch(/^problem +blobs .*: the bucket does not exist; check LATCHKEY_BLOB_URL/m);
    expect(status).toBe(1);
  });

  test('warns of documents without a database', async () => {
    const bucket = await newBucket();
    const { bucket: Bucket, prefix } = bucket.location;
    await bucket.client.send(new PutObjectCommand({ Bucket, Key: `${prefix}a`, Body: 'a' }));
    const { text, status } = await doctor(urlOf(bucket));
    expect(text).toMatch(/^problem +database .* s3:\/\/.* of an earlier installation exists/m);
    expect(status).toBe(1);
  });
});
