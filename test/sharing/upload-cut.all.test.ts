import { describe, expect, it } from 'vitest';
import {
  faultyUploads,
  filePart as file,
  formType as type,
  uploadBytesMax,
} from '../support/faulty-uploads.ts';
import { multipartBody, type RawHttp } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';
import {
  blobDirOf,
  callSharingApi,
  expectNothingStored,
  filesUnder,
  keyOf,
  openFilesUnder,
  sha256,
  storedState,
  upload,
} from '../support/sharing-api.ts';

const { app, open, head, post, deleteAll } = faultyUploads();

describe('an upload that is cut short', () => {
  const body = multipartBody([file], 'frontier');
  const chunked = { 'Transfer-Encoding': 'chunked' };

  const sizeOfChunk = Buffer.from(`${body.length.toString(16)}\r\n`);
  /** Its Content-Length, or none if it is sent in chunks, and the bytes that arrive. */
  const crashes: [what: string, length: number | undefined, sent: Buffer][] = [
    ['before its body', body.length, Buffer.alloc(0)],
    ['within the headers of its part', body.length, body.subarray(0, 60)],
    ['within the file', body.length, body.subarray(0, 50_000)],
    ['before the last boundary', body.length, body.subarray(0, -20)],
    ['one byte before its end', body.length, body.subarray(0, -1)],
    ['after the form, but before its Content-Length', body.length + 10, body],
    ['within a chunk', undefined, Buffer.concat([sizeOfChunk, body.subarray(0, 50_000)])],
  ];
  itHoldsFor(crashes, 7)(
    'by a client that crashes leaves nothing behind',
    async (_, length, sent) => {
      const connection = await open();
      await connection.write(head(length, length === undefined ? chunked : {}));
      await connection.write(sent);
      if (sent.length > 1000) await expect.poll(() => filesUnder(blobDirOf(app()))).not.toEqual([]);
      connection.reset();
      await expectNothingStored(app());
    },
  );

  itHoldsFor([
    ['with fewer bytes than its Content-Length', body.length + 1000],
    ['in the middle', body.length * 2],
  ])('before its end and closed properly leaves nothing behind', async (_, length) => {
    const connection = await open();
    await connection.write(head(length));
    await connection.write(body.subarray(0, body.length - 100));
    connection.end();

    const response = await connection.response();

    expect([400, 499, undefined]).toContain(response?.status);
  });

  it('by a malformed chunk leaves nothing behind', async () => {
    const connection = await open();
    await connection.write(head(undefined, chunked));
    await connection.write(`c350\r\n`);
    await connection.write(body.subarray(0, 50_000));
    await connection.write('\r\nnot a size\r\n');

    expect([400, undefined]).toContain((await connection.response())?.status);
  });
});

describe('an upload over the limit', () => {
  const formOf = (bytes: number) =>
    multipartBody([{ ...file, body: Buffer.alloc(bytes, 'a') }], 'frontier');

  it('is stored at the limit, and refused one byte above it', async () => {
    const most = await post(formOf(uploadBytesMax));
    expect(most.status).toBe(201);
    await deleteAll();

    const { status, problem } = await post(formOf(uploadBytesMax + 1));

    expect({ status, code: problem.code }).toEqual({ status: 413, code: 'payload_too_large' });
  });

  it('is refused while it is being sent, and the client can read the error', async () => {
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

  it('is refused also if the client reads only after sending everything', async () => {
    const form = formOf(20_000_000);
    const response = await fetch(`${app().app.publicUrl}/api/v1/documents`, {
      method: 'POST',
      headers: { ...keyOf(app()), 'content-type': type },
      body: new Uint8Array(form),
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'payload_too_large' });
  });
});

/** Sends until an answer arrives, the connection ends, or `length` bytes are sent. */
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
    expect(response?.headers.get('www-authenticate')).toBe('Bearer realm="latchkey"');
    expect(JSON.parse(String(response?.body))).toMatchObject({ code: 'unauthenticated' });
    expect(sent).toBeLessThan(length);
  });

  it('is refused also if the client reads only after sending everything', async () => {
    const response = await fetch(`${app().app.publicUrl}/api/v1/documents`, {
      method: 'POST',
      headers: { 'content-type': type },
      body: new Uint8Array(5_000_000),
    });
    expect(response.status).toBe(401);
  });

  it('is disconnected if it keeps sending', async () => {
    const connection = await open();
    await connection.write(head(1_000_000_000, { Authorization: '' }));
    expect(await connection.response()).toMatchObject({ status: 401 });

    const isTaken = () => connection.write(Buffer.alloc(64 * 1024));

    await expect.poll(isTaken).toBe(false);
  });
});

describe('thirty uploads at the same time', () => {
  it('are all stored while thirty others are aborted', async () => {
    const contents = Array.from({ length: 30 }, (_, i) => Buffer.alloc(150_000, String(i)));
    const breaking = contents.map(async () => {
      const connection = await open();
      await connection.write(head(150_000));
      await connection.write(multipartBody([file], 'frontier').subarray(0, 70_000));
      connection.reset();
    });

    const documents = await Promise.all(contents.map((bytes) => upload(app(), bytes)));
    await Promise.all(breaking);

    expect(documents.map((document) => document.sha256)).toEqual(contents.map(sha256));
    await expect.poll(async () => (await storedState(app())).files.length).toBe(30);
    await expect.poll(() => openFilesUnder(blobDirOf(app()))).toEqual([]);
    const deleted = await Promise.all(
      documents.map(({ id }) => callSharingApi(app(), 'DELETE', `/documents/${id}`)),
    );
    expect(new Set(deleted.map(({ status }) => status))).toEqual(new Set([200]));
  });
});
