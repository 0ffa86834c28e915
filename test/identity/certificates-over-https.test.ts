// Clients that present a certificate over HTTPS instead of a secret (RFC 8705).
import { createHash, X509Certificate } from 'node:crypto';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { decodeJwt } from 'jose';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { AuditService } from '../../gen/latchkey/identity/v1/audit_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { createAuthority, type KeyPair } from '../support/certificates.ts';
import { freePort } from '../support/free-port.ts';
import { startTestApp } from '../support/harness.ts';
import { callForm, callJson } from '../support/json-calls.ts';
import { managerCredential } from '../support/manager-calls.ts';
import { itHoldsFor, product } from '../support/rule.ts';
import { openHttp1, openHttp2, startTlsApp } from '../support/tls-app.ts';
import { useStarted } from '../support/use-started.ts';

const workloads = createAuthority('Workloads');
const uri = ['spiffe://example.org/billing'];
const scope = 'audit:read';
const own = workloads.issue({ uri });
const renewed = workloads.issue({ uri });
const other = workloads.issue({ dns: ['other.example.org'] });
const unnamed = workloads.issue({ dns: ['unnamed.example.org'] });
const expired = workloads.issue({ uri, isExpired: true });
const unknown = createAuthority('Unknown').issue({ uri });
const sha256 = createHash('sha256')
  .update(new X509Certificate(own.certificate).raw)
  .digest('base64url');
const cnf = { 'x5t#S256': sha256 };

const versions = { 'HTTP/1.1': openHttp1, 'HTTP/2': openHttp2 };
type Version = keyof typeof versions;
const versionNames = ['HTTP/1.1', 'HTTP/2'] as const;

const test = useStarted(() => startTlsApp({ clientAuthority: workloads }));
let client: { readonly id: string; readonly secret: string };
let otherId: string;
let bound: string;

type Sent = {
  readonly path: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Sends one request on a new connection with the certificate. */
async function send(version: Version, pair: KeyPair | undefined, sent: Sent) {
  const { path, form, json } = sent;
  const ca = test.files.authority.certificate;
  const connection = versions[version](test.app.publicUrl, ca, pair);
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  const body = form === undefined ? JSON.stringify(json) : `${new URLSearchParams(form)}`;
  try {
    const answer = await connection.send(
      path,
      form === undefined && json === undefined
        ? { headers: { ...sent.headers } }
        : { method: 'POST', headers: { 'content-type': type, ...sent.headers }, body },
    );
    const text = answer.body.toString();
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
  } finally {
    connection.close();
  }
}

async function addClient(fields: object) {
  const headers = await managerCredential(test.app, `clients:write ${scope}`);
  const json = { name: 'Workload', scopes: [scope], ...fields };
  const { status, body } = await send('HTTP/2', undefined, { path: '/clients', json, headers });
  expect(status).toBe(201);
  return { id: body.client.id as string, secret: body.client_secret as string };
}

const grant = { grant_type: 'client_credentials', scope };

beforeAll(async () => {
  client = await addClient({ tls_client_auth_san_uri: uri[0], bound_tokens: true });
  otherId = (await addClient({ tls_client_auth_san_dns: 'other.example.org' })).id;
  const { body } = await send('HTTP/2', own, { path: '/tokens', form: grant });
  bound = body.access_token;
});

describe('a client certificate over HTTPS', () => {
  itHoldsFor(versionNames, 2)('gets a bound token, uses it and revokes it', async (version) => {
    const call = (sent: Sent) => send(version, own, sent);
    for (const sent of [{ form: grant }, { json: { scope } }]) {
      const { body } = await call({ path: '/tokens', ...sent });
      expect(body).toMatchObject({ token_type: 'Bearer', scope });
      expect(decodeJwt(body.access_token)).toMatchObject({ sub: client.id, cnf });
    }
    const form = { ...grant, client_id: client.id };
    const { access_token: token } = (await call({ path: '/tokens', form })).body;
    const headers = { authorization: `Bearer ${token}` };
    expect(await call({ path: '/audit-events', headers })).toMatchObject({ status: 200 });
    const introspected = () => call({ path: '/oauth2/introspect', form: { token } });
    expect((await introspected()).body).toMatchObject({ active: true, cnf });
    expect(await call({ path: '/oauth2/revoke', form: { token } })).toMatchObject({ status: 200 });
    expect((await introspected()).body).toEqual({ active: false });
    expect(await call({ path: '/audit-events', headers })).toMatchObject({ status: 401 });
  });

  it('works for a secret with the certificate of its client, too', async () => {
    const form = { ...grant, client_id: client.id, client_secret: client.secret };
    const { body } = await send('HTTP/1.1', own, { path: '/tokens', form });
    expect(decodeJwt(body.access_token)).toMatchObject({ sub: client.id, cnf });
  });

  itHoldsFor(product([createConnectTransport, createGrpcWebTransport], ['1.1', '2'] as const), 4)(
    'works over Connect and gRPC-Web',
    async (createTransport, httpVersion) => {
      const open = (pair?: KeyPair) => {
        const { authority } = test.files;
        const certificate = pair && { cert: pair.certificate, key: pair.key };
        const nodeOptions = { ca: authority.certificate, ...certificate };
        return createTransport({ baseUrl: test.app.publicUrl, httpVersion, nodeOptions });
      };
      const { accessToken } = await createClient(IssuanceService, open(own)).issueToken({ scope });
      expect(decodeJwt(accessToken)).toMatchObject({ sub: client.id, cnf });
      const headers = { authorization: `Bearer ${accessToken}` };
      const list = (pair?: KeyPair) =>
        createClient(AuditService, open(pair)).listAuditEvents({}, { headers });
      expect((await list(own)).events.length).toBeGreaterThan(0);
      await expect(list()).rejects.toThrow('The token is bound to another client certificate.');
    },
  );

  it('is all that openid-client needs, as the metadata says', async () => {
    const { publicUrl } = test.app;
    const connection = openHttp1(publicUrl, test.files.authority.certificate, own);
    const customFetch: openid.CustomFetch = async (url, { method, headers, body }) => {
      const sent = { method, headers, ...(body == null ? {} : { body: String(body) }) };
      const answer = await connection.send(url.slice(publicUrl.length), sent);
      const type = { 'content-type': String(answer.headers['content-type']) };
      return new Response(answer.body.toString(), { status: answer.status, headers: type });
    };
    try {
      const config = await openid.discovery(
        new URL(publicUrl),
        client.id,
        undefined,
        openid.TlsClientAuth(),
        { algorithm: 'oauth2', [openid.customFetch]: customFetch },
      );
      const metadata = config.serverMetadata();
      for (const endpoint of ['token', 'introspection', 'revocation'] as const) {
        expect(metadata[`${endpoint}_endpoint_auth_methods_supported`]).toContain(
          'tls_client_auth',
        );
      }
      expect(metadata.tls_client_certificate_bound_access_tokens).toBe(true);
      const { access_token: token } = await openid.clientCredentialsGrant(config, { scope });
      expect(await openid.tokenIntrospection(config, token)).toMatchObject({ active: true, cnf });
      await openid.tokenRevocation(config, token);
      expect(await openid.tokenIntrospection(config, token)).toEqual({ active: false });
    } finally {
      connection.close();
    }
  });
});

/** Headers with which proxies pass certificates on (RFC 9440), and those of other servers. */
const forwarded = (pair: KeyPair) => {
  const der = new X509Certificate(pair.certificate).raw.toString('base64');
  return {
    'client-cert': `:${der}:`,
    'x-forwarded-client-cert': `Hash=${sha256};URI=${uri[0]}`,
    'x-ssl-client-cert': encodeURIComponent(pair.certificate),
    'x-ssl-client-verify': 'SUCCESS',
  };
};

const useBound = (headers = {}): Sent => ({
  path: '/audit-events',
  headers: { authorization: `Bearer ${bound}`, ...headers },
});
const ask = (fields = {}, headers = {}): Sent => ({
  path: '/tokens',
  form: { ...grant, ...fields },
  headers,
});
const refusedClient = 'identity.credential_invalid';

describe('a request over HTTPS', () => {
  const cases: [string, KeyPair | undefined, () => Sent, string, string][] = [
    ['no certificate', undefined, () => ask({ client_id: client.id }), refusedClient, 'no client'],
    [
      'no certificate, in JSON',
      undefined,
      () => ({ path: '/tokens', json: { scope } }),
      'invalid_argument',
      'is required without a client certificate',
    ],
    [
      'no certificate, at the introspection',
      undefined,
      () => ({ path: '/oauth2/introspect', form: { token: bound } }),
      refusedClient,
      'no client authentication',
    ],
    [
      'no certificate, at the revocation',
      undefined,
      () => ({ path: '/oauth2/revoke', form: { token: bound, client_id: client.id } }),
      refusedClient,
      'no client authentication',
    ],
    [
      'no certificate but headers with one',
      undefined,
      () => ask({ client_id: client.id }, forwarded(own)),
      refusedClient,
      'no client authentication',
    ],
    [
      "another client's certificate",
      other,
      () => ask({ client_id: client.id }),
      refusedClient,
      'another client than the client id',
    ],
    [
      "a secret with another client's certificate",
      other,
      () => ask({ client_id: client.id, client_secret: client.secret }),
      refusedClient,
      'another client than the secret',
    ],
    [
      'a certificate of no client',
      unnamed,
      () => ask(),
      refusedClient,
      'No enabled client has a name',
    ],
    ['an unknown CA', unknown, () => ask(), refusedClient, 'not issued by a trusted CA'],
    ['an expired certificate', expired, () => ask(), refusedClient, 'has expired'],
    ['a bound token without its certificate', undefined, useBound, 'unauthenticated', 'bound to'],
    ['a bound token with another one', other, useBound, 'unauthenticated', 'bound to another'],
    ['a bound token with a renewed one', renewed, useBound, 'unauthenticated', 'bound to another'],
    [
      'a bound token with headers only',
      undefined,
      () => useBound(forwarded(own)),
      'unauthenticated',
      'bound to another',
    ],
    [
      'a bound token with other headers',
      other,
      () => useBound(forwarded(own)),
      'unauthenticated',
      'bound to another',
    ],
  ];
  itHoldsFor(product(versionNames, cases), 30)(
    'is refused',
    async (version, _name, pair, sent, code, detail) => {
      const { status, body } = await send(version, pair, sent());
      expect(body).toMatchObject({ code, detail: expect.stringContaining(detail) });
      expect(status).toBe(code === 'invalid_argument' ? 400 : 401);
    },
  );

  it('issues unbound tokens to clients without bound_tokens', async () => {
    const { body } = await send('HTTP/2', other, ask());
    const claims = decodeJwt(body.access_token);
    expect([claims.sub, claims.cnf]).toEqual([otherId, undefined]);
  });
});

it('a request over plain HTTP has no certificate, whatever its headers say', async () => {
  const { publicUrl } = test.app;
  await test.stop();
  const http = { host: '127.0.0.1', port: await freePort() };
  const plain = await startTestApp({ dataDir: test.dataDir, config: { publicUrl, http } });
  try {
    const at = { publicUrl: `http://${http.host}:${http.port}` };
    const token = await callForm(at, '/tokens', { ...grant, client_id: client.id }, forwarded(own));
    expect(token.body).toMatchObject({ code: refusedClient });
    const headers = { authorization: `Bearer ${bound}`, ...forwarded(own) };
    const used = await callJson(at, 'GET', '/audit-events', undefined, headers);
    expect([used.status, used.body.detail]).toEqual([
      401,
      'The token is bound to another client certificate.',
    ]);
  } finally {
    await plain.stop();
  }
});
