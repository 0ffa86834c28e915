// Tokens for clients that present a certificate over gRPC instead of a secret.
import { once } from 'node:events';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { readAlternativeNames } from '../../src/transports/http/request-facts.ts';
import { type AlternativeNames, createAuthority, type KeyPair } from '../support/certificates.ts';
import {
  addClientKey,
  clientAssertionType,
  jwkOf,
  keyPairs,
  signAssertion,
} from '../support/client-keys.ts';
import { messageOf, useManager } from '../support/manager-calls.ts';
import { type Dialect, describeFeature } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';
import { openTlsGrpc, startTlsApp } from '../support/tls-app.ts';
import { useStarted } from '../support/use-started.ts';

const { createClient, updateClient, disableClient } = ClientService.method;
const { issueToken } = IssuanceService.method;

const workloads = createAuthority('Workloads');
const others = createAuthority('Others');
const scope = 'payments:read';

function describeCertificates(dialect: Dialect): void {
  const test = useStarted(() => startTlsApp({ dialect, clientAuthority: workloads }));
  const manager = useManager(test, 'clients:write');

  function open(pair?: KeyPair) {
    const transport = openTlsGrpc(test, pair);
    onTestFinished(() => transport.close());
    return transport;
  }

  const issue = (request: object, pair?: KeyPair) =>
    open(pair).call(issueToken, { scope, ...request });

  const errorOf = async (request: object, pair?: KeyPair) => {
    const answer = await issue(request, pair);
    return answer.ok ? 'ok' : `${answer.error.code}: ${answer.error.message}`;
  };

  async function add(fields: object) {
    const request = { name: 'Workload', scopes: [scope], ...fields };
    return messageOf(await open().call(createClient, request, manager));
  }

  const idIn = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub;

  itHoldsFor([
    ['tlsClientAuthSanUri', 'spiffe://example.org/one', { uri: ['spiffe://example.org/one'] }],
    ['tlsClientAuthSanDns', 'one.example.org', { dns: ['other.example', 'One.Example.org'] }],
  ])('a certificate with a name of a client yields its token', async (field, name, names) => {
    const { client } = await add({ [field]: name });
    const pair = workloads.issue(names);
    for (const clientId of ['', client?.id]) {
      expect(idIn(messageOf(await issue({ clientId }, pair)).accessToken)).toBe(client?.id);
    }
  });

  it('a certificate is refused unless it is valid and names one enabled client', async () => {
    const uri = ['spiffe://example.org/a'];
    const { client: a } = await add({ tlsClientAuthSanUri: uri[0] });
    await add({ tlsClientAuthSanDns: 'b.example.org' });
    const { client: c } = await add({ tlsClientAuthSanDns: 'c.example.org' });
    await open().call(disableClient, { clientId: c?.id ?? '' }, manager);
    const cases: [AlternativeNames, string, typeof workloads?][] = [
      [{ uri, isExpired: true }, 'The client certificate has expired.'],
      [{ uri }, 'The client certificate was not issued by a trusted CA.', others],
      [{ ip: '127.0.0.1' }, 'The client certificate has no URI or DNS name (subjectAltName).'],
      [{}, 'The client certificate has no URI or DNS name (subjectAltName).'],
      [{ uri: ['spiffe://example.org/A'] }, 'No enabled client has a name of the certificate.'],
      [{ dns: ['c.example.org'] }, 'No enabled client has a name of the certificate.'],
      [
        { uri, dns: ['b.example.org'] },
        'The names of the certificate belong to more than one client.',
      ],
      [
        { uri: ['spiffe://example.org/x, DNS:b.example.org'] },
        'No enabled client has a name of the certificate.',
      ],
    ];
    for (const [names, message, authority = workloads] of cases) {
      const code = 'identity.credential_invalid';
      expect(await errorOf({}, authority.issue(names))).toBe(`${code}: ${message}`);
    }
    expect(await errorOf({ clientId: test.env.CLIENT_ID }, workloads.issue({ uri }))).toContain(
      'The certificate belongs to another client than the client id.',
    );
    expect(await errorOf({ clientId: a?.id })).toContain('client_secret: is required');
    expect(await errorOf({})).toContain('client_id, client_secret: is required');
    const audited = async () =>
      (await test.app.inside.db.selectFrom('audit_events').select('target').execute()).map(
        ({ target }) => target,
      );
    await expect
      .poll(audited)
      .toEqual(expect.arrayContaining([`URI:${uri[0]}`, 'DNS:c.example.org']));
  });

  it('a secret is accepted with the certificate of its client or of none', async () => {
    const uri = ['spiffe://example.org/both'];
    const { client, clientSecret } = await add({ tlsClientAuthSanUri: uri[0] });
    const { client: other, clientSecret: otherSecret } = await add({});
    const own = { clientId: client?.id, clientSecret };
    expect(await errorOf(own, workloads.issue({ uri }))).toBe('ok');
    expect(await errorOf(own, workloads.issue({ uri: ['spiffe://example.org/none'] }))).toBe('ok');
    expect(await errorOf(own, others.issue({ uri: ['spiffe://example.org/a'] }))).toBe('ok');
    const both = { clientId: other?.id, clientSecret: otherSecret };
    expect(await errorOf(both, workloads.issue({ uri }))).toContain(
      'The certificate belongs to another client than the secret.',
    );
    expect(await errorOf({ ...own, clientSecret: 'x' }, workloads.issue({ uri }))).toContain(
      'The client id or the secret is wrong.',
    );
  });

  it('an assertion is accepted with the certificate of its client or of none', async () => {
    const uri = ['spiffe://example.org/asserting'];
    const pair = keyPairs.EdDSA();
    const { client } = await add({ tlsClientAuthSanUri: uri[0] });
    const { client: other } = await add({});
    for (const one of [client, other]) {
      await addClientKey(test.app.inside.db, one?.id ?? '', jwkOf(pair));
    }
    const { publicUrl } = test.app;
    const errorWith = async (id = '', names: AlternativeNames = { uri }) => {
      const clientAssertion = await signAssertion(pair.privateKey, id, publicUrl);
      return errorOf({ clientAssertionType, clientAssertion }, workloads.issue(names));
    };
    await expect.poll(() => errorWith(client?.id)).toBe('ok');
    expect(await errorWith(client?.id, { uri: ['spiffe://example.org/none'] })).toBe('ok');
    await expect
      .poll(() => errorWith(other?.id))
      .toContain('The certificate belongs to another client than the assertion.');
  });

  it('a name belongs to one client, and can move to another one', async () => {
    const name = 'spiffe://example.org/moves';
    const { client: first } = await add({ tlsClientAuthSanUri: name });
    const { client: second } = await add({});
    const change = (clientId: string | undefined, tlsClientAuthSanUri: string) =>
      open().call(
        updateClient,
        {
          clientId: clientId ?? '',
          tlsClientAuthSanUri,
          updateMask: { paths: ['tls_client_auth_san_uri'] },
        },
        manager,
      );
    expect(await change(second?.id, name)).toMatchObject({ error: { code: 'conflict' } });
    expect(await change(first?.id, '')).toMatchObject({ ok: true });
    expect(messageOf(await change(second?.id, name))).toMatchObject({
      client: { tlsClientAuthSanUri: name },
    });
    const pair = workloads.issue({ uri: [name] });
    expect(idIn(messageOf(await issue({}, pair)).accessToken)).toBe(second?.id);
    const two = { name: 'Two', tlsClientAuthSanUri: 'a:b', tlsClientAuthSanDns: 'a.b' };
    expect(await open().call(createClient, two, manager)).toMatchObject({
      error: { code: 'invalid_argument', fields: ['tls_client_auth_san_dns'] },
    });
  });
}

describeFeature('a client certificate', describeCertificates);

/** The app with a file of the CA, which a test replaces. */
async function startWithCa() {
  // No handshake ends because of its time limit.
  const tlsTimes = { pollMs: 50, handshakeMs: 600_000 };
  const app = await startTlsApp({ clientAuthority: workloads, tlsTimes });
  onTestFinished(() => app.remove());
  return { app, replaceCa: () => app.writeClientCa(others) };
}

it('a CA that is removed from the file ends the connections of its certificates', async () => {
  const { app, replaceCa } = await startWithCa();
  const transport = openTlsGrpc(app, workloads.issue({ uri: ['spiffe://example.org/none'] }));
  onTestFinished(() => transport.close());
  const message = async () => {
    const answer = await transport.call(issueToken, { scope });
    return answer.ok ? 'ok' : answer.error.message;
  };
  expect(await message()).toContain('No enabled client');
  await replaceCa();
  await expect.poll(message).toContain('not issued by a trusted CA');
});

it('a CA that is removed from the file ends handshakes that have begun', async () => {
  const { app, replaceCa } = await startWithCa();
  const port = Number(app.app.grpcAddress.split(':')[1]);
  const { certificate, key } = workloads.issue({ uri: ['spiffe://example.org/none'] });
  const socket = connect({ port, host: '127.0.0.1' });
  onTestFinished(() => void socket.destroy());
  // Sends the first message of the handshake only.
  let isSent = false;
  const held = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      if (isSent) return;
      isSent = true;
      socket.write(chunk, done);
    },
  });
  const ca = app.files.authority.certificate;
  const client = connectTls({ socket: held, ca, cert: certificate, key, ALPNProtocols: ['h2'] });
  client.on('error', () => {});
  socket.on('data', (bytes) => held.push(bytes));
  await once(socket, 'data');
  const closed = once(socket, 'close');
  await replaceCa();
  await closed;
});

describe('the subject alternative names', () => {
  itHoldsFor([
    ['URI:spiffe://a/b, DNS:c.d', ['URI spiffe://a/b', 'DNS c.d']],
    ['URI:"a, DNS:b"', ['URI a, DNS:b']],
    ['IP Address:127.0.0.1, DNS:a', ['IP Address 127.0.0.1', 'DNS a']],
    ['DNS:a"b', []],
    ['DNS:a, URI:"spiffe://a\\u0000b"', []],
    ['nonsense', []],
    ['', []],
  ])('are read', (subjectAltName, expected) => {
    const names = readAlternativeNames({ subjectAltName });
    expect(names.map(({ kind, value }) => `${kind} ${value}`)).toEqual(expected);
  });
});
