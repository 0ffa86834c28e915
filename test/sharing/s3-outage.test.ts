// An outage of an S3 store, which all nodes share. An outage of a folder is in
// blob-store-away.test.ts.
import { expect, it, onTestFinished } from 'vitest';
import { postForm } from '../support/document-streams.ts';
import { type FakeS3, startFakeS3 } from '../support/fake-s3.ts';
import { describeDialects, startTestApp, type TestApp } from '../support/harness.ts';
import { multipartBody } from '../support/raw-http.ts';
import { keyOf, upload } from '../support/sharing-api.ts';

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
  async function start(s3: FakeS3): Promise<TestApp> {
    const test = await startTestApp({ dialect, config: { blobs: s3.location } });
    onTestFinished(() => test.remove());
    return test;
  }

  it('leaves the node ready, and shows in its readiness, metrics and log', async () => {
    const s3 = await startFakeS3();
    const test = await start(s3);
    await upload(test, Buffer.from('bytes'));
    await expect.poll(() => readyz(test), slow).toEqual(ready('ok'));
    expect(await isUp(test)).toBe('1');

    s3.failWith('ServiceUnavailable');
    await expect.poll(() => readyz(test), slow).toEqual(ready('failing'));
    expect(await isUp(test)).toBe('0');
    const form = multipartBody([{ name: 'file', filename: 'a', body: 'bytes' }], 'frontier');
    expect((await postForm(test.app, form, keyOf(test))).status).toBe(503);
    expect(await issueToken(test)).toBe(200);

    s3.failWith(undefined);
    await expect.poll(() => readyz(test), slow).toEqual(ready('ok'));
    expect(await isUp(test)).toBe('1');
    expect(await failing(test)).toMatchObject([
      {
        setting: 'LATCHKEY_BLOB_URL',
        reason: expect.stringContaining('the store responded with 503'),
      },
    ]);
    expect(await linesOf(test, 'the blob store works again')).toHaveLength(1);
  }, 60_000);

  it('is logged by a start on a bucket that does not exist', async () => {
    const s3 = await startFakeS3();
    const first = await start(s3);
    await first.stop();
    s3.failWith('NoSuchBucket');
    const { dataDir, databaseUrl } = first;
    const test = await startTestApp({ dataDir, config: { databaseUrl, blobs: s3.location } });
    onTestFinished(() => test.stop());

    await expect
      .poll(() => failing(test), slow)
      .toMatchObject([{ setting: 'LATCHKEY_BLOB_URL', reason: 'the bucket does not exist' }]);
    expect(await readyz(test)).toEqual(ready('failing'));
    expect(await issueToken(test)).toBe(200);
  });
});
