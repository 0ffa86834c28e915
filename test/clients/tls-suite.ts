// The package @latchkey/client with TLS, and with a certificate instead of a secret.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { credentials } from '@grpc/grpc-js';
import { decodeJwt } from 'jose';
import * as undici from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type * as Http from '../../clients/client/src/index.ts';
import type * as Node from '../../clients/client/src/node.ts';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { createAuthority, type KeyPair } from '../support/certificates.ts';
import { managerCredential, messageOf } from '../support/manager-calls.ts';
import type { PackedClients } from '../support/packed-clients.ts';
import { startTlsApp, type TlsApp } from '../support/tls-app.ts';
import { openGrpcTransport } from '../support/transports.ts';

const workloads = createAuthority('Workloads');
const name = 'spiffe://example.org/billing';
const uri = [name];
const scope = 'accounts:read';

const portOf = ({ app }: TlsApp) => app.grpcAddress.split(':')[1];

export function describeClientTls(installed: () => PackedClients): void {
  let node: typeof Node;
  let testApp: TlsApp;
  let clientId: string;
  const fileOf = (name: string) => path.join(testApp.files.folder, name);
  const write = ({ certificate, key }: KeyPair) =>
    Promise.all([writeFile(fileOf('own.crt'), certificate), writeFile(fileOf('own.key'), key)]);
  beforeAll(async () => {
    node = await installed().load('@latchkey/client/node');
    testApp = await startTlsApp({ clientAuthority: workloads });
    await writeFile(fileOf('server-ca.crt'), testApp.files.authority.certificate);
    const channel = credentials.createSsl(Buffer.from(testApp.files.authority.certificate));
    const transport = openGrpcTransport(testApp.app, channel);
    const manager = await managerCredential(testApp.app, `clients:write ${scope}`);
    const request = { name: 'Billing', scopes: [scope], tlsClientAuthSanUri: name };
    const answer = await transport.call(ClientService.method.createClient, request, manager);
    clientId = messageOf(answer).client?.id ?? '';
    transport.close();
  });
  afterAll(() => testApp?.remove());

  function open(options: Partial<Node.GrpcClientOptions> = {}) {
    const client = node.createGrpcClient({
      grpcUrl: `https://localhost:${portOf(testApp)}`,
      credentials: { scope },
      tls: {
        caFile: fileOf('server-ca.crt'),
        certFile: fileOf('own.crt'),
        keyFile: fileOf('own.key'),
      },
      ...options,
    });
    onTestFinished(() => client.close());
    return client;
  }

  describe('@latchkey/client with a client certificate', () => {
    it('gets tokens without a secret, and calls methods', async () => {
      await write(workloads.issue({ uri }));
      const client = open();
      expect(decodeJwt(await client.accessToken())).toMatchObject({ sub: clientId, scope });
      expect((await client.accounts.listAccounts({})).accounts.length).toBeGreaterThan(0);
      await expect(
        open({ credentials: { scope, clientId: 'cli_other' } }).accessToken(),
      ).rejects.toMatchObject({ code: 'identity.credential_invalid' });
    });

    it('gets tokens with the programs of docs/operations.md, over gRPC and HTTPS', async () => {
      const { folder } = installed();
      const { key, certificate } = workloads.issue({ uri });
      await writeFile(path.join(folder, 'ca.crt'), testApp.files.authority.certificate);
      await writeFile(path.join(folder, 'billing.crt'), certificate);
      await writeFile(path.join(folder, 'billing.key'), key);
      const page = await readFile(
        path.join(import.meta.dirname, '../../docs/operations.md'),
        'utf8',
      );
      const programs = page.matchAll(/```js\n(\/\/ workload(?:-https)?\.mjs\n[\s\S]*?)```/g);
      const { grpcAddress, publicUrl } = testApp.app;
      const env = { LATCHKEY_GRPC_ADDRESS: grpcAddress, LATCHKEY_BASE_URL: publicUrl };
      const subjects: unknown[] = [];
      for (const [, program = ''] of programs) {
        subjects.push(decodeJwt(await installed().run(program, env)).sub);
      }
      expect(subjects).toEqual([clientId, clientId]);
    });

    it('calls methods over HTTPS through the given fetch', async () => {
      const { createClient } = await installed().load<typeof Http>('@latchkey/client');
      const { certificate, key } = workloads.issue({ uri });
      const { certificate: ca } = testApp.files.authority;
      const dispatcher = new undici.Agent({ connect: { ca, cert: certificate, key } });
      onTestFinished(() => dispatcher.close());
      const paths: string[] = [];
      const fetch = ((url: string, init: undici.RequestInit) => {
        paths.push(new URL(url).pathname);
        return undici.fetch(url, { ...init, dispatcher });
      }) as unknown as typeof globalThis.fetch;
      const { publicUrl: baseUrl } = testApp.app;
      const client = createClient({ baseUrl, credentials: { scope }, fetch });
      expect((await client.accounts.listAccounts({})).accounts.length).toBeGreaterThan(0);
      const credentials = { apiKey: testApp.env.API_KEY };
      const document = await createClient({ baseUrl, credentials, fetch }).upload(new Blob(['a']));
      expect(document.sizeBytes).toBe(1);
      expect(paths).toEqual([
        '/latchkey.identity.v1.IssuanceService/IssueToken',
        '/latchkey.identity.v1.AccountService/ListAccounts',
        '/api/v1/documents',
      ]);
      const wrong = { fetch: 'fetch' as unknown as typeof fetch };
      expect(() => createClient({ baseUrl, credentials: { scope }, ...wrong })).toThrow(
        'fetch must be a function.',
      );
      expect(() => createClient({ baseUrl, credentials: { scope } })).toThrow(
        'credentials is incomplete.',
      );
    });

    it('uses a renewed certificate for its next connection', async () => {
      await write(workloads.issue({ uri, isExpired: true }));
      const client = open();
      const refused = { code: 'identity.credential_invalid' };
      await expect(client.accessToken()).rejects.toMatchObject(refused);
      await write(workloads.issue({ uri }));
      client.close();
      await expect(client.accessToken()).resolves.toBeDefined();
    });

    it('calls over TLS with another credential and without a certificate', async () => {
      const { CLIENT_ID: id, CLIENT_SECRET: clientSecret } = testApp.env;
      const own = { clientId: id, clientSecret, scope };
      const tls = { caFile: fileOf('server-ca.crt') };
      const { accounts } = open({ credentials: own, tls });
      await expect(accounts.listAccounts({})).resolves.toBeDefined();
    });

    it('does not connect to a server whose certificate it cannot verify', async () => {
      await write(workloads.issue({ uri }));
      const tls = { certFile: fileOf('own.crt'), keyFile: fileOf('own.key') };
      const error = { code: 'connection_failed' };
      await expect(open({ tls }).accessToken()).rejects.toMatchObject({
        ...error,
        message: expect.stringMatching(
          /^The connection to https:\/\/localhost:\d+ failed: .*UNABLE_TO_VERIFY_LEAF_SIGNATURE/,
        ),
      });
      const missing = { caFile: fileOf('missing.crt') };
      const apiKey = { apiKey: testApp.env.API_KEY };
      const listed = open({ tls: missing, credentials: apiKey }).documents.listDocuments({});
      await expect(listed).rejects.toMatchObject({
        ...error,
        message: expect.stringMatching(/ENOENT.*missing\.crt/),
      });
    });

    it('refuses options that cannot work', () => {
      const certFile = fileOf('own.crt');
      expect(() => open({ grpcUrl: 'http://127.0.0.1:1' })).toThrow('https');
      expect(() => open({ tls: { certFile } })).toThrow('keyFile');
      expect(() => open({ tls: {} })).toThrow('tls.certFile');
    });
  });
}
