import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CommitProxy, type Loss, startCommitProxy } from '../support/commit-proxy.ts';
import { migratedPostgresDatabase } from '../support/databases.ts';
import { postForm } from '../support/document-streams.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { pendingBlobsOf } from '../support/pending-blobs.ts';
import { multipartBody } from '../support/raw-http.ts';
import {
  blobDirOf,
  callSharingApi,
  filesUnder,
  keyOf,
  sha256,
  upload,
} from '../support/sharing-api.ts';

type Started = { readonly test: TestApp; readonly proxy: CommitProxy };

async function start(): Promise<Started> {
  const proxy = await startCommitProxy(await migratedPostgresDatabase());
  const test = await startTestApp({ config: { databaseUrl: proxy.url }, blobLeaseMs: 300 });
  onTestFinished(async () => {
    await test.remove();
    proxy.close();
  });
  return { test, proxy };
}

const inserts = /insert into "documents"/;
const deletes = /delete from "documents"/;

function uploadCut({ test, proxy }: Started, loss: Loss, content: Buffer): Promise<Response> {
  proxy.loseNext(loss, inserts);
  const form = multipartBody([{ name: 'file', filename: 'a.bin', body: content }], 'frontier');
  return postForm(test.app, form, keyOf(test));
}

async function rowsOf({ app }: TestApp) {
  return app.inside.db.selectFrom('documents').selectAll().execute();
}

/** The ids of the documents whose stored bytes do not match their row. */
async function damaged(test: TestApp): Promise<string[]> {
  const found: string[] = [];
  for (const row of await rowsOf(test)) {
    const file = path.join(blobDirOf(test), row.blob_id.slice(0, 2), row.blob_id);
    const bytes = await readFile(file).catch(() => undefined);
    if (bytes === undefined || sha256(bytes) !== row.sha256) found.push(row.id);
  }
  return found;
}

const pendingOf = (test: TestApp) => pendingBlobsOf(test.app.inside.db);

describe('a COMMIT whose answer is lost', () => {
  it('keeps the bytes of every document whose row was committed', async () => {
    const started = await start();
    const { test, proxy } = started;
    for (let round = 0; round < 6; round++) {
      const response = await uploadCut(started, 'answer-lost', Buffer.alloc(1000, `${round}`));
      const problem = (await response.json()) as { code: string };
      expect(proxy.lost()).toBe(round + 1);
      expect.soft({ status: response.status, code: problem.code }).toEqual({
        status: 503,
        code: 'unavailable',
      });
      expect.soft(response.headers.get('retry-after')).toBe('1');
    }

    expect(await rowsOf(test)).toHaveLength(6);
    expect(await damaged(test)).toEqual([]);
    await expect.poll(() => pendingOf(test)).toEqual([]);
    expect(await damaged(test)).toEqual([]);
  });

  it('of a deletion removes the bytes once the row is confirmed deleted', async () => {
    const { test, proxy } = await start();
    const { id } = await upload(test, Buffer.from('The terms.'));
    proxy.loseNext('answer-lost', deletes);

    expect((await callSharingApi(test, 'DELETE', `/documents/${id}`)).status).toBe(503);

    expect(await rowsOf(test)).toEqual([]);
    await expect.poll(() => filesUnder(blobDirOf(test))).toEqual([]);
  });
});

describe('a COMMIT that does not reach the server', () => {
  it('leaves neither row nor bytes of an upload', async () => {
    const started = await start();
    const { test } = started;

    const response = await uploadCut(started, 'commit-lost', Buffer.from('The terms.'));

    expect(response.status).toBe(503);
    await response.text();
    expect(await rowsOf(test)).toEqual([]);
    await expect.poll(() => filesUnder(blobDirOf(test))).toEqual([]);
  });

  it('of a deletion leaves the document intact', async () => {
    const { test, proxy } = await start();
    const { id } = await upload(test, Buffer.from('The terms.'));
    proxy.loseNext('commit-lost', deletes);

    expect((await callSharingApi(test, 'DELETE', `/documents/${id}`)).status).toBe(503);

    await expect.poll(() => pendingOf(test)).toEqual([]);
    expect(await damaged(test)).toEqual([]);
    expect(await rowsOf(test)).toHaveLength(1);
  });
});
