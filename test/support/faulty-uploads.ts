// Faulty uploads: an app for a whole test file, and a client that may misbehave.
import { afterAll, afterEach, beforeAll, expect, onTestFinished } from 'vitest';
import { startTestApp, type TestApp } from './harness.ts';
import { type MultipartPart, openRawHttp, type RawHttp, requestHead } from './raw-http.ts';
import { callSharingApi, expectNothingStored, keyOf, sha256, upload } from './sharing-api.ts';

export const uploadBytesMax = 200_000;
export const formType = 'multipart/form-data; boundary=frontier';

/** Half of the size limit of an upload. */
export const filePart: MultipartPart = {
  name: 'file',
  filename: 'a.bin',
  body: Buffer.alloc(uploadBytesMax / 2, 'a'),
};

type Problem = { code: string; errors?: { field: string }[] };

/**
 * Starts an app for the tests of a file. After each test nothing may be stored or open, the next
 * upload must succeed, and no call may have failed with `internal`.
 */
export function faultyUploads() {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ config: { uploadBytesMax } });
  });
  afterAll(() => test.remove());

  // A refused or interrupted upload leaves nothing behind and does not block the next one.
  afterEach(async () => {
    await expectNothingStored(test).finally(deleteAll);
    const bytes = Buffer.from('the next upload');
    const { id, sha256: digest } = await upload(test, bytes);
    expect(digest).toBe(sha256(bytes));
    expect((await callSharingApi(test, 'DELETE', `/documents/${id}`)).status).toBe(200);
    await expectNothingStored(test);
    expect(await test.logText()).not.toContain('"code":"internal"');
  });

  /** Clears the state, so that one test does not fail the others. */
  async function deleteAll(): Promise<void> {
    const { body } = await callSharingApi<{ documents: { id: string }[] }>(
      test,
      'GET',
      '/documents',
    );
    for (const { id } of body.documents) await callSharingApi(test, 'DELETE', `/documents/${id}`);
  }

  async function open(): Promise<RawHttp> {
    const connection = await openRawHttp(Number(new URL(test.app.publicUrl).port));
    onTestFinished(() => connection.reset());
    return connection;
  }

  /** Headers of an upload; an empty value omits a header. */
  function head(length: number | undefined, headers: Record<string, string> = {}): string {
    const all = {
      Host: 'latchkey.test',
      Authorization: keyOf(test).authorization,
      'Content-Type': formType,
      ...(length === undefined ? {} : { 'Content-Length': String(length) }),
      ...headers,
    };
    const sent = Object.entries(all).filter(([, value]) => value !== '');
    return requestHead('POST', '/api/v1/documents', Object.fromEntries(sent));
  }

  async function post(body: Buffer, headers: Record<string, string> = {}) {
    const connection = await open();
    await connection.write(head(body.length, headers));
    void connection.write(body);
    const response = await connection.response();
    const text = response?.body.toString() ?? '';
    return {
      status: response?.status,
      problem: JSON.parse(text === '' ? '{}' : text) as Problem,
    };
  }

  return { app: () => test, open, head, post, deleteAll };
}
