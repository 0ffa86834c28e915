import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { startTestApp, type TestApp } from '../support/harness.ts';
import {
  type MultipartPart,
  multipartBody,
  openRawHttp,
  type RawHttp,
  requestHead,
} from '../support/raw-http.ts';
import {
  api,
  blobDirOf,
  expectNothingStored,
  filesUnder,
  keyOf,
  openFilesUnder,
  sha256,
  stored,
  upload,
} from '../support/sharing.ts';
import { openStreamDoors, type Piece, startGrpcUpload } from '../support/streams.ts';

const uploadBytesMax = 200_000;
const file: MultipartPart = { name: 'file', filename: 'a.bin', body: Buffer.alloc(100_000, 'a') };
const type = 'multipart/form-data; boundary=frontier';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ config: { uploadBytesMax } });
});
afterAll(() => test.remove());

// Whatever was refused or cut short has left nothing, and nothing stands in the way of the next.
afterEach(async () => {
  await expectNothingStored(test).finally(deleteAll);
  const bytes = Buffer.from('the next upload');
  const { id, sha256: digest } = await upload(test, bytes);
  expect(digest).toBe(sha256(bytes));
  expect((await api(test, 'DELETE', `/documents/${id}`)).status).toBe(200);
  await expectNothingStored(test);
  expect(await test.logText()).not.toContain('"code":"internal"');
});

/** So that what one test has left does not fail the others. */
async function deleteAll(): Promise<void> {
  const { body } = await api<{ documents: { id: string }[] }>(test, 'GET', '/documents');
  for (const { id } of body.documents) await api(test, 'DELETE', `/documents/${id}`);
}

async function open(): Promise<RawHttp> {
  const connection = await openRawHttp(Number(new URL(test.app.publicUrl).port));
  onTestFinished(() => connection.reset());
  return connection;
}

/** Headers of an upload; an empty value leaves one out. */
function head(length: number | undefined, headers: Record<string, string> = {}): string {
  const all = {
    Host: 'latchkey.test',
    Authorization: keyOf(test).authorization,
    'Content-Type': type,
    ...(length === undefined ? {} : { 'Content-Length': String(length) }),
    ...headers,
  };
  const sent = Object.entries(all).filter(([, value]) => value !== '');
  return requestHead('POST', '/api/v1/documents', Object.fromEntries(sent));
}

type Problem = { code: string; errors?: { field: string }[] };

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

describe('a form that is refused', () => {
  const whole = multipartBody([file], 'frontier');
  const name = (value: string): MultipartPart => ({ name: 'name', body: value });
  const forms: [what: string, parts: MultipartPart[], fields: string[]][] = [
    ['no part', [], ['file']],
    ['no file', [name('a')], ['file']],
    ['two files', [file, file], ['file']],
    ['an empty file', [{ ...file, body: '' }], ['file']],
    ['a name twice', [file, name('a'), name('b')], ['name']],
    ['a name twice, before the file', [name('a'), name('b'), file], ['name']],
    ['an unknown field', [file, { name: 'nmae', body: 'a' }], ['nmae']],
    ['a field that only HTTP fills', [file, { name: 'file_name', body: 'a' }], ['file_name']],
    ['an unknown file', [file, { ...file, name: 'other' }], ['other']],
    ['an unknown file first', [{ ...file, name: 'other' }, file], ['other']],
    ['a field as a file', [{ ...name('a'), filename: 'a.txt' }, file], ['name']],
    ['a field that is too long', [file, name('x'.repeat(9000))], ['name']],
    ['a name of 9000 characters for a field', [{ ...file, name: 'n'.repeat(9000) }], []],
    ['only a part without a name', [{ body: 'stray' }], ['file']],
    ['more parts than anybody needs', Array.from({ length: 100 }, () => name('a')), []],
    ['a name that is a property of every object', [file, { name: '__proto__', body: 'a' }], []],
  ];
  it.each(forms)('has %s', async (_, parts, fields) => {
    const { status, problem } = await post(multipartBody(parts, 'frontier'));

    expect({ status, code: problem.code }).toEqual({ status: 400, code: 'invalid_argument' });
    const named = problem.errors?.map(({ field }) => field);
    if (fields.length > 0) expect(named).toEqual(fields);
  });

  const named = 'form-data; name="file"; filename="a.bin"';
  const bodies: [what: string, body: Buffer][] = [
    ['nothing at all', Buffer.alloc(0)],
    ['no boundary', Buffer.alloc(50_000, 'x')],
    ['another boundary', multipartBody([file], 'elsewhere')],
    ['an end before the last boundary', whole.subarray(0, -20)],
    ['an end within the file', whole.subarray(0, 50_000)],
    ['an end within the headers of a part', whole.subarray(0, 40)],
    ['a last boundary without its dashes', whole.subarray(0, -4)],
    [
      'a header of 200 kB in a part',
      multipartBody(
        [{ headers: { 'X-Long': 'x'.repeat(200_000), 'Content-Disposition': named }, body: 'a' }],
        'frontier',
      ),
    ],
    [
      '10,000 headers in a part',
      multipartBody(
        [
          {
            headers: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`X-${i}`, 'x'])),
            body: '',
          },
        ],
        'frontier',
      ),
    ],
  ];
  it.each(bodies)('has %s', async (_, body) => {
    const { status, problem } = await post(body);

    expect({ status, code: problem.code }).toEqual({ status: 400, code: 'invalid_argument' });
  });

  const types: [what: string, headers: Record<string, string>][] = [
    ['no boundary in its content type', { 'Content-Type': 'multipart/form-data' }],
    ['no content type', { 'Content-Type': '' }],
    ['another multipart type', { 'Content-Type': 'multipart/mixed; boundary=frontier' }],
    ['the type of JSON', { 'Content-Type': 'application/json' }],
    ['the type of a simple form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['the type of bytes', { 'Content-Type': 'application/octet-stream' }],
    ['a content type that is none', { 'Content-Type': ';;;' }],
  ];
  it.each(types)('has %s', async (_, headers) => {
    const { status, problem } = await post(whole, headers);

    const answer = { status, code: problem.code };
    expect(answer).toEqual({ status: 415, code: 'unsupported_media_type' });
  });

  it('has an empty boundary', async () => {
    const { status } = await post(whole, { 'Content-Type': 'multipart/form-data; boundary=' });

    expect(status).toBe(400);
  });

  it('comes after 200 kB of headers', async () => {
    const connection = await open();
    void connection.write(head(whole.length, { 'X-Long': 'x'.repeat(200_000) }));
    void connection.write(whole);

    expect(await connection.response()).toMatchObject({ status: 431 });
  });
});

describe('a file part without a file name', () => {
  it('is a file all the same', async () => {
    const body = multipartBody([{ name: 'file', body: 'bytes' }], 'frontier');
    const connection = await open();
    await connection.write(head(body.length));
    await connection.write(body);

    const response = await connection.response();

    const document = JSON.parse(String(response?.body));
    expect({ status: response?.status, document }).toMatchObject({
      status: 201,
      document: { name: 'document', size_bytes: 5 },
    });
    await api(test, 'DELETE', `/documents/${document.id}`);
  });
});

describe('an upload that is cut short', () => {
  const body = multipartBody([file], 'frontier');

  it.each([
    ['before its body', 0],
    ['within the headers of its part', 60],
    ['within the file', 50_000],
    ['before the last boundary', body.length - 20],
    ['one byte before its end', body.length - 1],
  ])('%s by a client that crashes leaves nothing', async (_, sent) => {
    const connection = await open();
    await connection.write(head(body.length));
    await connection.write(body.subarray(0, sent));
    if (sent > 1000) await expect.poll(() => filesUnder(blobDirOf(test))).not.toEqual([]);

    connection.reset();
  });

  it.each([
    ['with fewer bytes than its Content-Length', body.length + 1000],
    ['in the middle', body.length * 2],
  ])('%s and closed in order leaves nothing', async (_, length) => {
    const connection = await open();
    await connection.write(head(length));
    await connection.write(body.subarray(0, body.length - 100));
    connection.end();

    const response = await connection.response();

    expect([400, 499, undefined]).toContain(response?.status);
  });

  it('after a whole form, but before its Content-Length, leaves nothing', async () => {
    const connection = await open();
    await connection.write(head(body.length + 10));
    await connection.write(body);
    connection.reset();
    await sleep(100);
  });

  it('within a chunk leaves nothing', async () => {
    const connection = await open();
    await connection.write(head(undefined, { 'Transfer-Encoding': 'chunked' }));
    await connection.write(`${body.length.toString(16)}\r\n`);
    await connection.write(body.subarray(0, 50_000));
    connection.reset();
  });

  it('by a chunk that is malformed leaves nothing', async () => {
    const connection = await open();
    await connection.write(head(undefined, { 'Transfer-Encoding': 'chunked' }));
    await connection.write(`c350\r\n`);
    await connection.write(body.subarray(0, 50_000));
    await connection.write('\r\nnot a size\r\n');

    expect([400, undefined]).toContain((await connection.response())?.status);
  });
});

describe('an upload over the limit', () => {
  const formOf = (bytes: number) =>
    multipartBody([{ ...file, body: Buffer.alloc(bytes, 'a') }], 'frontier');

  it('is stored up to the limit, and refused one byte above it', async () => {
    const most = await post(formOf(uploadBytesMax));
    expect(most.status).toBe(201);
    await deleteAll();

    const { status, problem } = await post(formOf(uploadBytesMax + 1));

    expect({ status, code: problem.code }).toEqual({ status: 413, code: 'payload_too_large' });
  });

  it('is refused while it is still being sent, and its sender gets to see why', async () => {
    const connection = await open();
    const length = 1_000_000_000;
    const start = formOf(uploadBytesMax).subarray(0, -20);
    await connection.write(head(length));
    await connection.write(start);
    const { sent, response } = await sendUntilAnswered(connection, length - start.length);

    expect(response?.status).toBe(413);
    expect(JSON.parse(String(response?.body))).toMatchObject({ code: 'payload_too_large' });
    expect(response?.headers.get('connection')).toBe('close');
    expect(sent).toBeLessThan(length / 2);
  });

  it('is refused to a client that sends all before it reads', async () => {
    const form = formOf(20_000_000);
    const response = await fetch(`${test.app.publicUrl}/api/v1/documents`, {
      method: 'POST',
      headers: { ...keyOf(test), 'content-type': type },
      body: new Uint8Array(form),
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'payload_too_large' });
  });
});

/** Goes on sending until there is an answer, the connection ends, or `length` bytes are sent. */
async function sendUntilAnswered(connection: RawHttp, length: number) {
  let answered = false;
  const response = connection.response().finally(() => {
    answered = true;
  });
  const chunk = Buffer.alloc(1_000_000, 'a');
  let sent = 0;
  while (!answered && sent < length) {
    const isTaken = await Promise.race([connection.write(chunk), response.then(() => false)]);
    if (!isTaken) break;
    sent += chunk.length;
  }
  return { sent, response: await response };
}

describe('an upload without a credential', () => {
  it('is refused before its body is read', async () => {
    const connection = await open();
    const length = 50_000_000;
    await connection.write(head(length, { Authorization: '' }));
    const { sent, response } = await sendUntilAnswered(connection, length);

    expect(response?.status).toBe(401);
    expect(response?.headers.get('www-authenticate')).toBe('Bearer');
    expect(JSON.parse(String(response?.body))).toMatchObject({ code: 'unauthenticated' });
    expect(sent).toBeLessThan(length);
  });

  it('is refused to a client that sends everything first, too', async () => {
    const response = await fetch(`${test.app.publicUrl}/api/v1/documents`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: new Uint8Array(5_000_000),
    });
    expect(response.status).toBe(401);
  });

  it('is let go of, however long it goes on sending', async () => {
    const connection = await open();
    await connection.write(head(1_000_000_000, { Authorization: '' }));
    expect(await connection.response()).toMatchObject({ status: 401 });

    const isTaken = () => connection.write(Buffer.alloc(64 * 1024));

    await expect.poll(isTaken, { timeout: 10_000 }).toBe(false);
  });
});

describe('thirty uploads at a time', () => {
  it('are all stored, while as many others are broken off', async () => {
    const contents = Array.from({ length: 30 }, (_, i) => Buffer.alloc(150_000, String(i)));
    const breaking = contents.map(async () => {
      const connection = await open();
      await connection.write(head(150_000));
      await connection.write(multipartBody([file], 'frontier').subarray(0, 70_000));
      connection.reset();
    });

    const documents = await Promise.all(contents.map((bytes) => upload(test, bytes)));
    await Promise.all(breaking);

    expect(documents.map((document) => document.sha256)).toEqual(contents.map(sha256));
    await expect.poll(async () => (await stored(test)).files.length).toBe(30);
    expect(await openFilesUnder(blobDirOf(test))).toEqual([]);
    const deleted = await Promise.all(
      documents.map(({ id }) => api(test, 'DELETE', `/documents/${id}`)),
    );
    expect(new Set(deleted.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe('an upload as a stream of messages', () => {
  const chunk = Buffer.alloc(50_000, 'a');
  const streams: [what: string, pieces: Piece[], code: string, fields: string[]][] = [
    ['nothing', [], 'invalid_argument', ['file']],
    ['only empty messages', [{}, {}], 'invalid_argument', ['file']],
    ['a name only', [{ name: 'a' }], 'invalid_argument', ['file']],
    ['a name twice', [{ name: 'a' }, { file: chunk }, { name: 'a' }], 'invalid_argument', ['name']],
    [
      'a file name twice',
      [{ fileName: 'a' }, { file: chunk }, { fileName: 'b' }],
      'invalid_argument',
      ['file_name'],
    ],
    ['a piece over 1 MiB', [{ file: Buffer.alloc(1_048_577) }], 'invalid_argument', ['file']],
    [
      'more than the limit',
      Array.from({ length: 5 }, () => ({ file: chunk })),
      'payload_too_large',
      [],
    ],
  ];
  it.each(streams)('of %s is refused and leaves nothing', async (_, pieces, code, fields) => {
    const doors = openStreamDoors(test.app).filter(({ name }) => name !== 'http');
    for (const door of doors) {
      const answer = await door.upload(pieces, keyOf(test));
      door.close();
      expect(answer, door.name).toMatchObject({ ok: false, error: { code, fields } });
    }
  });

  function startUpload() {
    const client = new Client(test.app.grpcAddress, credentials.createInsecure());
    onTestFinished(() => client.close());
    return startGrpcUpload(client, keyOf(test));
  }

  it('that is cancelled leaves nothing', async () => {
    const { call, answer } = startUpload();
    call.write({ file: chunk });
    await expect.poll(() => filesUnder(blobDirOf(test))).not.toEqual([]);

    call.cancel();

    expect(await answer).toMatchObject({ ok: false, error: { grpc: 1 } });
  });

  it('that is cancelled over Connect leaves nothing', async () => {
    const transport = createConnectTransport({ baseUrl: test.app.publicUrl, httpVersion: '1.1' });
    const client = createClient(DocumentService, transport);
    const abort = new AbortController();
    async function* requests() {
      yield { file: chunk };
      await expect.poll(() => filesUnder(blobDirOf(test))).not.toEqual([]);
      abort.abort();
    }

    const options = { headers: keyOf(test), signal: abort.signal };
    await expect(client.uploadDocument(requests(), options)).rejects.toMatchObject({ code: 1 });
  });

  it('whose client goes away leaves nothing', async () => {
    const client = new Client(test.app.grpcAddress, credentials.createInsecure());
    const { call, answer } = startGrpcUpload(client, keyOf(test));
    call.write({ file: chunk });
    await expect.poll(() => filesUnder(blobDirOf(test))).not.toEqual([]);

    client.getChannel().close();
    call.cancel();

    expect(await answer).toMatchObject({ ok: false });
  });

  it('over the limit is refused while it is still being sent', async () => {
    const { call, answer } = startUpload();
    for (let i = 0; i < 5; i++) call.write({ file: chunk });

    expect(await answer).toMatchObject({ ok: false, error: { code: 'payload_too_large' } });
    call.cancel();
  });

  it('without a credential is refused before anything is sent', async () => {
    const client = new Client(test.app.grpcAddress, credentials.createInsecure());
    onTestFinished(() => client.close());

    const { call, answer } = startGrpcUpload(client, {});

    expect(await answer).toMatchObject({ ok: false, error: { code: 'unauthenticated' } });
    call.cancel();
  });
});
