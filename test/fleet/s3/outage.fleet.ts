// An outage of an S3 store, which all nodes share. blob-store-away.test.ts tests the outage of a
// folder.
import { randomUUID } from 'node:crypto';
import { expect, inject, it, onTestFinished } from 'vitest';
import type { S3Location } from '../../../src/base/config/blob-url.ts';
import { postForm } from '../../support/document-streams.ts';
import { startTestApp, type TestApp } from '../../support/harness.ts';
import { describeDialects } from '../../support/matrix.ts';
import { multipartBody } from '../../support/raw-http.ts';
import { keyOf, upload } from '../../support/sharing-api.ts';
import { newBucket } from './bucket.ts';
import { startStoreProxy } from './proxy.ts';

async function readyz({ app }: TestApp): Promise<unknown> {
  const response = await fetch(`${app.opsUrl}/readyz`);
  return { code: response.status, ...((await response.json()) as object) };
}

const ready = (blobs: string) => ({
  code: 200,
  status: 'ok',
  checks: { database: 'ok', blobs, signing_key: 'ok' },
});

async function issueToken({ app, env }: TestApp): Promise<number> {
  const fields = {
    client_id: env.CLIENT_ID,
    client_secret: env.CLIENT_SECRET,
    scope: 'accounts:read',
  };
  const response = await fetch(`${app.publicUrl}/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  });
  await response.text();
  return response.status;
}

async function linesOf(test: TestApp, message: string): Promise<Record<string, unknown>[]> {
  const lines = (await test.logText()).trim().split('\n');
  return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
}

const failing = (test: TestApp) => linesOf(test, 'the blob store fails');

async function isUp({ app }: TestApp): Promise<string | undefined> {
  const text = await (await fetch(`${app.opsUrl}/metrics`)).text();
  return /^latchkey_blob_store_up (\d)$/m.exec(text)?.[1];
}

const slow = { timeout: 30_000, interval: 100 };

describeDialects('an outage of an S3 store', (dialect) => {
  async function start(blobs: S3Location): Promise<TestApp> {
    const test = await startTestApp({ dialect, config: { blobs } });
    onTestFinished(() => test.remove());
    return test;
  }

  it('leaves the node ready, and appears in its readiness, metrics and log', async () => {
    const proxy = await startStoreProxy(inject('s3').endpoint);
    onTestFinished(() => proxy.close());
    const test = await start({ ...(await newBucket()).location, endpoint: proxy.endpoint });
    await upload(test, Buffer.from('bytes'));
    await expect.poll(() => readyz(test), slow).toEqual(ready('ok'));
    expect(await isUp(test)).toBe('1');

    proxy.hold(true);
    await expect.poll(() => readyz(test), slow).toEqual(ready('failing'));
    await expect.poll(() => isUp(test), slow).toBe('0');
    expect(await issueToken(test)).toBe(200);
    const form = multipartBody([{ name: 'file', filename: 'a', body: 'bytes' }], 'frontier');
    expect((await postForm(test.app, form, keyOf(test))).status).toBe(503);

    proxy.hold(false);
    await expect.poll(() => readyz(test), slow).toEqual(ready('ok'));
    await expect.poll(() => isUp(test), slow).toBe('1');
    expect(await failing(test)).toMatchObject([
      { setting: 'LATCHKEY_BLOB_URL', reason: expect.stringContaining('did not respond in time') },
    ]);
    expect(await linesOf(test, 'the blob store works again')).toHaveLength(1);
  });

  it('is logged by a start on a bucket that does not exist', async () => {
    const { location } = await newBucket();
    const first = await start(location);
    await first.stop();
    const { dataDir, databaseUrl } = first;
    const blobs = { ...location, bucket: `missing-${randomUUID()}` };
    const test = await startTestApp({ dataDir, config: { databaseUrl, blobs } });
    onTestFinished(() => test.stop());

    await expect
      .poll(() => failing(test), slow)
      .toMatchObject([
        {
          setting: 'LATCHKEY_BLOB_URL',
          reason: expect.stringContaining('the bucket does not exist'),
        },
      ]);
    expect(await readyz(test)).toEqual(ready('failing'));
    expect(await issueToken(test)).toBe(200);
  });
});
