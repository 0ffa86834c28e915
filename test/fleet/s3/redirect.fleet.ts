// Downloads that are redirected to the S3 store.
import { randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openS3Blobs } from '../../../src/sharing/blobs/s3.ts';
import { openRpcStreamTransports } from '../../support/document-streams.ts';
import { cookieOf } from '../../support/gated-document.ts';
import { startTestApp, type TestApp } from '../../support/harness.ts';
import { describeDialects } from '../../support/matrix.ts';
import { addMember, credentialFor, memberScope } from '../../support/member-rows.ts';
import {
  callSharingApi,
  type DocumentFields,
  keyOf,
  makeLink,
  otherWorkspace,
  serviceCredential,
  upload,
  uploadVersion,
} from '../../support/sharing-api.ts';
import { newBucket, type TestBucket } from './bucket.ts';

const bytes = randomBytes(700_000);
const disposition = `attachment; filename="?-1.bin"; filename*=UTF-8''%E2%82%AC-1.bin`;

describeDialects('a download with LATCHKEY_BLOB_REDIRECT_SECONDS', (dialect) => {
  let bucket: TestBucket;
  let app: TestApp;
  let document: DocumentFields;
  beforeAll(async () => {
    bucket = await newBucket();
    const config = { blobs: bucket.location, blobRedirectSeconds: 300 };
    app = await startTestApp({ dialect, config });
    document = await upload(app, bytes, 'plain.bin');
    await callSharingApi(app, 'PATCH', `/documents/${document.id}`, { name: '€-1.bin' });
  });
  afterAll(() => app?.remove());

  const urlOf = (id = document.id, query = '') =>
    `${app.app.publicUrl}/api/v1/documents/${id}/file${query}`;
  const ask = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(urlOf(), { method, headers: { ...keyOf(app), ...headers }, redirect: 'manual' });
  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

  test('gets a URL of the store for the stated time, which no cache may keep', async () => {
    const response = await ask();
    expect(response.status).toBe(307);
    expect(await response.text()).toBe('');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('etag')).toBe(null);
    const location = new URL(response.headers.get('location') ?? '');
    expect(location.origin).toBe(bucket.location.endpoint);
    expect(location.searchParams.get('X-Amz-Expires')).toBe('300');
  });

  test('is followed to the same bytes with the same type and name', async () => {
    const response = await fetch(urlOf(), { headers: keyOf(app) });
    expect(response.redirected).toBe(true);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-length': String(bytes.length),
      'content-type': 'application/octet-stream',
      'content-disposition': disposition,
      'cache-control': 'private, no-store',
    });
    expect((await bytesOf(response)).equals(bytes)).toBe(true);
  });

  test('is followed to the same range', async () => {
    const response = await fetch(urlOf(), {
      headers: { ...keyOf(app), range: 'bytes=300000-300009' },
    });
    expect(response.redirected).toBe(true);
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes 300000-300009/${bytes.length}`);
    expect((await bytesOf(response)).equals(bytes.subarray(300_000, 300_010))).toBe(true);
  });

  test('is answered without a redirect if the client could not follow it', async () => {
    const etag = `"${document.sha256}"`;
    const cases: [number, Promise<Response>][] = [
      [200, ask({}, 'HEAD')],
      [304, ask({ 'if-none-match': etag })],
      [200, ask({ 'if-match': etag })],
      [412, ask({ 'if-match': '"other"' })],
      [206, ask({ 'if-range': etag, range: 'bytes=0-9' })],
      [416, ask({ range: `bytes=${bytes.length}-` })],
    ];
    for (const [status, response] of cases) {
      const { status: found, headers } = await response;
      expect(found).toBe(status);
      expect(headers.get('location')).toBe(null);
    }
    const headers = { ...keyOf(app), 'sec-fetch-site': 'same-origin' };
    const browser = await new Promise<IncomingMessage>((resolve) => {
      get(urlOf(), { headers, agent: false }, resolve);
    });
    expect(browser.statusCode).toBe(200);
    browser.destroy();
  });

  test('of a range whose client may have bytes of another version is not redirected', async () => {
    const { id } = await upload(app, bytes);
    const next = randomBytes(800_000);
    await uploadVersion(app, id, next);
    const headers = { ...keyOf(app), range: 'bytes=300000-' };

    const unnamed = await fetch(urlOf(id), { headers });
    const named = await fetch(urlOf(id, '?version=1'), { headers });

    expect([unnamed.redirected, unnamed.status]).toEqual([false, 200]);
    expect((await bytesOf(unnamed)).equals(next)).toBe(true);
    expect([named.redirected, named.status]).toEqual([true, 206]);
    expect((await bytesOf(named)).equals(bytes.subarray(300_000))).toBe(true);
  });

  test('of a signed-in user has the bytes', async () => {
    const { workspace_id } = document;
    const userId = await addMember(app.app.inside.db, workspace_id, 'member');
    const principal = { type: 'member', sub: userId, scope: memberScope } as const;
    const { authorization } = await credentialFor(app, principal);
    const query = `?workspace_id=${workspace_id}`;
    const headers = { authorization };
    const response = await fetch(urlOf(document.id, query), { headers, redirect: 'manual' });
    expect(response.status).toBe(200);
    expect((await bytesOf(response)).equals(bytes)).toBe(true);
  });

  test('of a link, or over gRPC or Connect, has the bytes', async () => {
    const link = await makeLink(app, document.id, { allow_download: true });
    const cookie = cookieOf(await fetch(link.url));
    const download = await fetch(`${link.url}/download`, { headers: { cookie } });
    expect(download.redirected).toBe(false);
    expect((await bytesOf(download)).equals(bytes)).toBe(true);
    for (const transport of openRpcStreamTransports(app.app)) {
      onTestFinished(() => transport.close());
      const answer = await transport.download({ documentId: document.id }, keyOf(app));
      expect(answer, transport.name).toMatchObject({ ok: true });
      expect(answer.ok && answer.message.bytes.equals(bytes)).toBe(true);
    }
  });

  test('gets no URL without the right to the document', async () => {
    const other = await otherWorkspace(app);
    const service = await serviceCredential(app, 'documents:read');
    const cases: [number, string, Record<string, string>][] = [
      [401, urlOf(), {}],
      [401, urlOf(), { authorization: 'Bearer wrong' }],
      [404, urlOf(document.id, `?workspace_id=${other}`), service],
      [404, urlOf('doc_0000000000000000000000'), keyOf(app)],
    ];
    for (const [status, url, headers] of cases) {
      const response = await fetch(url, { headers, redirect: 'manual' });
      expect(response.status).toBe(status);
      expect(response.headers.get('location')).toBe(null);
    }
  });

  test('of a deleted document is not found, and nor is a URL from before', async () => {
    const { id } = await upload(app, randomBytes(1000));
    const before = await fetch(urlOf(id), { headers: keyOf(app), redirect: 'manual' });
    const location = before.headers.get('location') ?? '';
    expect((await fetch(location)).status).toBe(200);

    expect((await callSharingApi(app, 'DELETE', `/documents/${id}`)).status).toBe(200);

    expect((await fetch(urlOf(id), { headers: keyOf(app) })).status).toBe(404);
    await expect.poll(async () => (await fetch(location)).status).toBe(404);
  });

  test('leaves no part of the URL in the log', async () => {
    const location = new URL((await ask()).headers.get('location') ?? '');
    const signature = location.searchParams.get('X-Amz-Signature') ?? '';
    expect(signature).toMatch(/^[0-9a-f]{64}$/);
    const log = await app.logText();
    expect(log).toContain('DownloadDocument');
    expect(log).not.toContain(signature);
    expect(log).not.toContain('X-Amz');
  });
});

describe('a URL of the store', () => {
  test('is refused after its time, and with another name or type', async () => {
    const bucket = await newBucket();
    const blobs = await openS3Blobs(bucket.location);
    onTestFinished(() => blobs.close());
    await blobs.write('blob', Readable.from([bytes]));
    const headers = { contentType: 'image/png', contentDisposition: 'attachment' };
    const statusOf = async (url: string) => {
      const response = await fetch(url);
      await response.arrayBuffer();
      return response.status;
    };

    const url = (await blobs.presign?.('blob', 300, headers)) ?? '';
    expect(await statusOf(url)).toBe(200);
    expect(await statusOf(url.replace('image%2Fpng', 'text%2Fhtml'))).toBe(403);
    expect(await statusOf(url.replace('Expires=300', 'Expires=3000'))).toBe(403);

    const short = (await blobs.presign?.('blob', 1, headers)) ?? '';
    await expect.poll(() => statusOf(short)).toBe(403);
  });
});
