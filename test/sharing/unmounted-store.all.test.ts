// A folder of documents whose volume is not mounted when the service starts.
import { cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { postForm } from '../support/document-streams.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { describeFeature } from '../support/matrix.ts';
import { expirePendingBlobs, pendingBlobsOf } from '../support/pending-blobs.ts';
import { multipartBody } from '../support/raw-http.ts';
import { blobDirOf, callSharingApi, keyOf, upload } from '../support/sharing-api.ts';

async function uploadStatus(test: TestApp): Promise<number> {
  const form = multipartBody([{ name: 'file', filename: 'a', body: 'bytes' }], 'frontier');
  const response = await postForm(test.app, form, keyOf(test));
  await response.text();
  return response.status;
}

async function readiness({ app }: TestApp): Promise<unknown> {
  return (await fetch(`${app.opsUrl}/readyz`)).json();
}

const notReady = { status: 'not ready', checks: { blobs: 'failing', database: 'ok' } };

describeFeature('a start on the empty mount point of the documents', (dialect) => {
  async function restartUnmounted(first: TestApp): Promise<TestApp> {
    await first.stop();
    const root = blobDirOf(first);
    await rename(root, `${root}.away`);
    await mkdir(root);
    return restart(first);
  }

  async function restart({ dataDir, databaseUrl }: TestApp, laterMs = 0): Promise<TestApp> {
    const now = () => Date.now() + laterMs;
    const test = await startTestApp({ dataDir, config: { databaseUrl }, blobLeaseMs: 400, now });
    onTestFinished(() => test.stop());
    return test;
  }

  async function start(): Promise<TestApp> {
    const test = await startTestApp({ dialect });
    onTestFinished(() => test.remove());
    return test;
  }

  it('writes and sweeps nothing until the volume is mounted', async () => {
    const first = await start();
    const root = blobDirOf(first);
    const kept = await upload(first, Buffer.from('kept'));
    const deleted = await upload(first, Buffer.from('deleted'));
    const test = await restartUnmounted(first);
    const { db } = test.app.inside;

    expect(await readiness(test)).toMatchObject(notReady);
    expect(await uploadStatus(test)).toBe(503);
    expect((await callSharingApi(test, 'GET', `/documents/${kept.id}/file`)).status).toBe(503);
    expect((await callSharingApi(test, 'DELETE', `/documents/${deleted.id}`)).status).toBe(200);
    const pending = await pendingBlobsOf(db);
    expect(pending).not.toEqual([]);
    await expirePendingBlobs(db);
    await expect.poll(() => test.logText()).toContain('cannot sweep pending blobs');
    expect(await pendingBlobsOf(db)).toEqual(pending);
    expect(await readdir(root)).toEqual([]);
    expect(await test.logText()).toContain(`check that its volume is mounted at ${root}`);

    await rm(root, { recursive: true });
    await rename(`${root}.away`, root);
    expect(await uploadStatus(test)).toBe(201);
    expect(await readiness(test)).toMatchObject({ status: 'ok' });
    await expect.poll(() => pendingBlobsOf(db)).toEqual([]);
  });

  it('writes nothing even if no document was ever uploaded', async () => {
    const test = await restartUnmounted(await start());

    expect(await uploadStatus(test)).toBe(503);
    expect(await readiness(test)).toMatchObject(notReady);
    expect(await readdir(blobDirOf(test))).toEqual([]);
  });

  it('writes nothing to the folder of another database', async () => {
    const other = await start();
    const first = await start();
    await first.stop();
    const root = blobDirOf(first);
    await rename(root, `${root}.away`);
    await cp(blobDirOf(other), root, { recursive: true });
    await mkdir(path.join(root, 'pending'));
    await writeFile(path.join(root, 'pending/owner.left'), 'left by release 0.1');
    const before = await readdir(root, { recursive: true });
    const test = await restart(first, 25 * 3_600_000);

    expect(await uploadStatus(test)).toBe(503);
    expect(await readiness(test)).toMatchObject(notReady);
    await expect.poll(() => test.logText()).toContain('cannot settle the notes of release 0.1');
    expect(await readdir(root, { recursive: true })).toEqual(before);
    expect(await test.logText()).toContain('belongs to another database');
  });
});
