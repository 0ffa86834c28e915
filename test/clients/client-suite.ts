// The package @latchkey/client, as it is installed, against a real server.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as Main from '../../clients/client/src/index.ts';
import type * as Node from '../../clients/client/src/node.ts';
import { freePort } from '../support/free-port.ts';
import { type Front, startFront } from '../support/front.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import type { PackedClients } from '../support/packed-clients.ts';
import { itHoldsFor } from '../support/rule.ts';

const bytes = randomBytes(300_000);

export function describeClient(installed: () => PackedClients): void {
  let main: typeof Main;
  let node: typeof Node;
  let testApp: TestApp;
  let front: Front;
  const closing: (() => void)[] = [];
  beforeAll(async () => {
    main = await installed().load('@latchkey/client');
    node = await installed().load('@latchkey/client/node');
    // Short, so that a test sees tokens end. A token may end up to a second earlier, because its
    // times are whole seconds; a call must still arrive before that on a slow machine.
    testApp = await startTestApp({ config: { customerTokenSeconds: 3 } });
    front = await startFront(testApp.app.publicUrl);
  });
  afterAll(async () => {
    for (const close of closing) close();
    // By then the app has read the ends of the connections: grpc-js cannot stop in between.
    await fetch(testApp.app.publicUrl);
    await fetch(testApp.app.publicUrl);
    front?.close();
    await testApp?.remove();
  });

  const serviceClient = () => {
    const { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = testApp.env;
    return { clientId, clientSecret, scope: 'accounts:read tokens:read' };
  };
  const workspaceKey = () => ({ apiKey: testApp.env.API_KEY });
  const overHttp = (credentials: Main.Credentials, options: Partial<Main.ClientOptions> = {}) =>
    main.createClient({ baseUrl: front.url, credentials, ...options });
  const overGrpc = (credentials: Main.Credentials) => {
    const grpcUrl = `http://${testApp.app.grpcAddress}`;
    const client = node.createGrpcClient({ grpcUrl, credentials });
    closing.push(client.close);
    return client;
  };
  const opened = {
    'HTTP with binary messages': (credentials: Main.Credentials) => overHttp(credentials),
    'HTTP with JSON': (credentials: Main.Credentials) => overHttp(credentials, { format: 'json' }),
    gRPC: overGrpc,
  };

  describe('@latchkey/client over each protocol', () => {
    itHoldsFor(Object.entries(opened), 3)(
      'fetches a token, calls methods, uploads and downloads',
      async (_name, open) => {
        const { links, documents, upload } = open(workspaceKey());
        const document = await upload(bytes, { name: 'Bytes', fileName: 'bytes.bin' });
        expect(document).toMatchObject({ name: 'Bytes', sizeBytes: bytes.length });
        const { link } = await links.createLink({ documentId: document.id, emailRequired: true });
        expect(link?.url).toMatch(/\/s\/\w{22}$/);
        const chunks: Uint8Array[] = [];
        for await (const { part } of documents.downloadDocument({ documentId: document.id })) {
          if (part.case === 'chunk') chunks.push(part.value);
        }
        expect(Buffer.concat(chunks).equals(bytes)).toBe(true);

        const { accounts } = await open(serviceClient()).accounts.listAccounts({});
        expect(accounts.length).toBeGreaterThan(0);
      },
    );

    itHoldsFor(Object.entries(opened), 3)(
      'throws errors with the code, the fields and the request id',
      async (_name, open) => {
        const client = open(workspaceKey());
        const missing = client.documents.getDocument({ documentId: 'doc_unknown' });
        await expect(missing).rejects.toBeInstanceOf(main.LatchkeyError);
        await expect(missing).rejects.toMatchObject({
          name: 'LatchkeyError',
          code: 'not_found',
          requestId: expect.stringMatching(/\S/),
        });
        const invalid = client.documents.getDocument({});
        await expect(invalid).rejects.toMatchObject({
          code: 'invalid_argument',
          fields: [{ field: 'document_id', detail: expect.any(String) }],
        });
        const download = client.documents.downloadDocument({ documentId: 'doc_unknown' });
        const first = download[Symbol.asyncIterator]().next();
        await expect(first).rejects.toMatchObject({ name: 'LatchkeyError', code: 'not_found' });
        await expect(client.upload(new Uint8Array())).rejects.toMatchObject({
          code: 'invalid_argument',
        });
        const wrong = open({ ...serviceClient(), clientSecret: 'lk_cs_wrong' });
        await expect(wrong.accessToken()).rejects.toMatchObject({
          code: 'identity.credential_invalid',
        });
      },
    );

    itHoldsFor(Object.entries(opened), 3)(
      'calls with a valid token while tokens expire',
      async (_name, open) => {
        const { accounts } = open({ apiKey: testApp.env.CUSTOMER_API_KEY });
        const end = Date.now() + 6_500;
        while (Date.now() < end) expect((await accounts.listAccounts({})).accounts).toHaveLength(2);
      },
    );
  });

  describe('@latchkey/client', () => {
    it('fetches one token for concurrent calls', async () => {
      const before = front.countOf('/IssueToken');
      const { accounts } = overHttp(serviceClient());
      await Promise.all(Array.from({ length: 20 }, () => accounts.listAccounts({})));
      expect(front.countOf('/IssueToken') - before).toBe(1);
    });

    it('fetches a fresh token once if the server refuses the first', async () => {
      let fetched = 0;
      const stale = overHttp({
        token: () => {
          fetched++;
          return { accessToken: `stale-${fetched}`, expiresInSeconds: 300 };
        },
      });
      await expect(stale.accounts.listAccounts({})).rejects.toMatchObject({
        code: 'unauthenticated',
      });
      expect(fetched).toBe(2);
      const good = await overHttp(serviceClient()).accessToken();
      const tokens = ['stale', good];
      const renewed = overHttp({ token: () => tokens.shift() ?? '' });
      await expect(renewed.accounts.listAccounts({})).resolves.toBeDefined();
    });

    itHoldsFor(['HTTP', 'gRPC'])('forgets a token after a refused upload', async (name) => {
      const tokens = ['stale', testApp.env.API_KEY];
      const token = () => ({ accessToken: tokens.shift() ?? '', expiresInSeconds: 300 });
      const { upload } = name === 'HTTP' ? overHttp({ token }) : overGrpc({ token });
      const send = () => upload(new Blob(['text']).stream(), { name: 'Stream' });
      await expect(send()).rejects.toMatchObject({ code: 'unauthenticated' });
      await expect(send()).resolves.toMatchObject({ name: 'Stream' });
    });

    itHoldsFor([429, 503])('repeats calls after 429 or 503 and Retry-After', async (status) => {
      const { documents, links, upload } = overHttp(workspaceKey());
      const wait = { status, headers: { 'retry-after': '1' } };
      front.answer('/ListDocuments', wait);
      const start = performance.now();
      await documents.listDocuments({});
      // The wait is at least the time that the server requested.
      expect(performance.now() - start).toBeGreaterThan(990);

      front.answer('/api/v1/documents', { status });
      const { id } = await upload(new Blob(['text']), { name: 'Text' });
      front.answer('/CreateLink', { status }, { status });
      await links.createLink({ documentId: id });
      for (const [end, count] of [
        ['/CreateLink', 3],
        ['/api/v1/documents', 2],
      ] as const) {
        const same = front.requests.filter((one) => one.path.endsWith(end)).slice(-count);
        const keys = same.map(({ headers }) => headers['idempotency-key']);
        expect(keys).toEqual(
          Array.from({ length: count }, () => expect.stringMatching(/^\S{36}$/)),
        );
        expect(new Set(keys).size).toBe(1);
      }
    });

    it('does not repeat an upload from a stream, nor wait longer than its limit', async () => {
      const { documents, upload } = overHttp(workspaceKey());
      front.answer('/api/v1/documents', { status: 503, headers: { 'retry-after': '1' } });
      const stream = new Blob(['text']).stream();
      await expect(upload(stream)).rejects.toMatchObject({
        code: 'unavailable',
        retryAfterSeconds: 1,
      });
      front.answer('/ListDocuments', { status: 429, headers: { 'retry-after': '3600' } });
      await expect(documents.listDocuments({})).rejects.toMatchObject({
        code: 'rate_limited',
        retryAfterSeconds: 3600,
      });
    });

    it('gives up with a code if the server cannot be reached', async () => {
      const options = { retry: { attemptsMax: 2 } };
      const url = `http://127.0.0.1:${await freePort()}`;
      const away = { ...options, credentials: workspaceKey() };
      const grpc = node.createGrpcClient({ ...away, grpcUrl: url });
      closing.push(grpc.close);
      for (const client of [main.createClient({ ...away, baseUrl: `${url}/path` }), grpc]) {
        const message = `The connection to ${url} failed: connect ECONNREFUSED ${url.slice(7)}`;
        const error = { code: 'connection_failed', message };
        await expect(client.documents.listDocuments({})).rejects.toMatchObject(error);
        await expect(client.upload(new Uint8Array(1))).rejects.toMatchObject(error);
      }
    });

    it('throws no message with a token that cannot be sent', async () => {
      const client = overHttp({ token: () => 'secret\nsecret' }, { retry: { attemptsMax: 1 } });
      const message = `The connection to ${front.url} failed.`;
      const error = { code: 'connection_failed', message };
      await expect(client.documents.listDocuments({})).rejects.toMatchObject(error);
      await expect(client.upload(new Uint8Array(1))).rejects.toMatchObject(error);
    });

    itHoldsFor([
      [undefined, 'baseUrl is not set. It must be a URL such as https://latchkey.example.com.'],
      ['', 'baseUrl is not set. It must be a URL such as https://latchkey.example.com.'],
      ['127.0.0.1:8080', 'baseUrl must be a URL such as https://latchkey.example.com.'],
      ['localhost:8080', 'baseUrl must be a URL such as https://latchkey.example.com.'],
      ['http://me:secret@127.0.0.1', 'baseUrl must not contain a user name or a password.'],
    ])('names the option baseUrl when it is invalid', (baseUrl, message) => {
      // The types do not hold for variables of the environment in JavaScript.
      const options = { baseUrl: baseUrl as string, credentials: { apiKey: 'lk_wk_secret' } };
      expect(() => main.createClient(options)).toThrow(new TypeError(message));
      const { credentials } = options;
      expect(() => node.createGrpcClient({ grpcUrl: options.baseUrl, credentials })).toThrow(
        new TypeError(
          message
            .replace('baseUrl', 'grpcUrl')
            .replace('https://latchkey.example.com', 'https://latchkey.example.com:50051'),
        ),
      );
    });

    const credentialsExpected =
      'It must be an object with apiKey, or token, ' +
      'or clientId, scope and clientSecret, privateKey or assertion.';
    const keyExpected =
      'must begin with lk_ck_ (customer) or lk_wk_ (workspace), without spaces or line breaks.';
    const secretClient = { clientId: 'cli_a', clientSecret: 'lk_cs_secret', scope: 'tokens:read' };
    itHoldsFor([
      [undefined, `credentials is not set. ${credentialsExpected}`],
      [{}, `credentials is incomplete. ${credentialsExpected}`],
      [{ apiKey: undefined }, `credentials.apiKey is not set. It ${keyExpected}`],
      [{ apiKey: 'secret' }, `credentials.apiKey ${keyExpected}`],
      [{ apiKey: 'lk_wk_secret\nsecret' }, `credentials.apiKey ${keyExpected}`],
      [{ token: undefined }, 'credentials.token is not set. It must be a function.'],
      [{ token: 'secret' }, 'credentials.token must be a function.'],
      [
        { ...secretClient, clientId: undefined },
        'credentials.clientId is not set. It must be a string.',
      ],
      [
        { ...secretClient, clientSecret: undefined },
        'credentials.clientSecret is not set. It must be a string.',
      ],
      [
        { clientId: 'cli_a', scope: 'tokens:read', assertion: 'secret' },
        'credentials.assertion must be a function.',
      ],
      [{ ...secretClient, scope: '' }, 'credentials.scope is not set. It must be a string.'],
    ])('names the option when the credentials are invalid', (given, message) => {
      const credentials = given as unknown as Main.Credentials;
      const error = new TypeError(message);
      expect(() => main.createClient({ baseUrl: front.url, credentials })).toThrow(error);
      if (given !== undefined && Object.keys(given).length === 0) return;
      const grpcUrl = 'http://127.0.0.1:1';
      expect(() => node.createGrpcClient({ grpcUrl, credentials })).toThrow(error);
    });

    itHoldsFor(['HTTP', 'gRPC'])('uploads a file and reports the progress', async (name) => {
      const { upload } = name === 'HTTP' ? overHttp(workspaceKey()) : overGrpc(workspaceKey());
      const file = path.join(installed().folder, 'notes "of today".md');
      await writeFile(file, '# Notes\n'.repeat(40_000));
      const progress: Main.UploadProgress[] = [];
      const onProgress = (one: Main.UploadProgress) => progress.push(one);

      const document = await upload(await node.openFile(file), { onProgress });

      const totalBytes = 320_000;
      expect(document).toMatchObject({ name: 'notes "of today".md', contentType: 'text/markdown' });
      expect(progress[0]).toEqual({ sentBytes: 0, totalBytes });
      expect(progress.at(-1)).toEqual({ sentBytes: totalBytes, totalBytes });
      expect(progress.length).toBeGreaterThan(4);
    });

    itHoldsFor(['HTTP', 'gRPC'])('aborts an upload', async (name) => {
      const { upload } = name === 'HTTP' ? overHttp(workspaceKey()) : overGrpc(workspaceKey());
      const abort = new AbortController();
      const onProgress = ({ sentBytes }: Main.UploadProgress) => {
        if (sentBytes > 100_000) abort.abort();
      };
      const uploading = upload(new Blob([bytes]), { onProgress, signal: abort.signal });
      await expect(uploading).rejects.toMatchObject({ code: 'canceled' });
    });
  });
}
