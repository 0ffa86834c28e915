// The HTTP listener with a CA of client certificates: changes of its file, and resumed sessions.
import { once } from 'node:events';
import { Agent, type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { createAuthority } from '../support/certificates.ts';
import { itHoldsFor } from '../support/rule.ts';
import { startTlsApp, type TlsApp } from '../support/tls-app.ts';

const workloads = createAuthority('Workloads');
const others = createAuthority('Others');
const { certificate: cert, key } = workloads.issue({ uri: ['spiffe://example.org/none'] });
const formType = 'application/x-www-form-urlencoded';
const form = 'grant_type=client_credentials&scope=audit:read';

async function start(): Promise<TlsApp> {
  const app = await startTlsApp({ clientAuthority: workloads });
  onTestFinished(() => app.remove());
  return app;
}

/** Opens a connection, with the certificate if it is given. */
async function open({ app, files }: TlsApp, protocol: string, pair = {}): Promise<TLSSocket> {
  const port = Number(new URL(app.publicUrl).port);
  const ca = files.authority.certificate;
  const ALPNProtocols = [protocol];
  const socket = connect({ port, host: '127.0.0.1', ca, ALPNProtocols, ...pair });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

it('a CA that is removed from the file ends the connections of its certificates', async () => {
  const app = await start();
  const idle = await open(app, 'http/1.1', { cert, key });
  const http2 = await open(app, 'h2', { cert, key });
  http2.resume();
  const busy = await open(app, 'http/1.1', { cert, key });
  const anonymous = await open(app, 'http/1.1');
  const head = `host: localhost\r\ncontent-type: ${formType}\r\ncontent-length: ${form.length}`;
  busy.write(`POST /tokens HTTP/1.1\r\n${head}\r\nexpect: 100-continue\r\n\r\n`);
  // The request is in progress.
  await once(busy, 'data');
  const ended = [once(idle.resume(), 'close'), once(http2, 'close')];
  await app.writeClientCa(others);
  await Promise.all(ended);
  const answer = text(busy);
  busy.write(form);
  expect(await answer).toMatch(/^HTTP\/1.1 401 .*\r\nconnection: close\r\n/is);
  expect(anonymous.destroyed || anonymous.readableEnded).toBe(false);
  expect(await ask(app, { cert, key })).toMatchObject({
    detail: 'The client certificate was not issued by a trusted CA.',
  });
  const { certificate, key: otherKey } = others.issue({ uri: ['spiffe://example.org/none'] });
  expect(await ask(app, { cert: certificate, key: otherKey })).toMatchObject({
    detail: 'No enabled client has a name of the certificate.',
  });
});

type Asked = { readonly detail: string; readonly isReused: boolean; readonly session?: Buffer };

/** Requests a token without a secret, on a new connection. */
function ask({ app, files }: TlsApp, options: RequestOptions): Promise<Asked> {
  const agent = new Agent({ maxCachedSessions: 0 });
  const headers = { 'content-type': formType };
  const ca = files.authority.certificate;
  return new Promise((resolve, reject) => {
    const sent = request(`${app.publicUrl}/tokens`, {
      ...{ agent, ca, headers, method: 'POST' },
      ...options,
    });
    let session: Buffer | undefined;
    sent.once('socket', (socket) => void socket.on('session', (given) => (session = given)));
    sent.once('error', reject);
    sent.once('response', async (response) => {
      const socket = response.socket as TLSSocket;
      const isReused = socket.isSessionReused();
      const { detail } = JSON.parse(await text(response));
      resolve({ detail, isReused, ...(session === undefined ? {} : { session }) });
    });
    sent.end(form);
  });
}

itHoldsFor(['TLSv1.2', 'TLSv1.3'] as const, 2)(
  'a resumed session does not carry the certificate to another client',
  async (version) => {
    const app = await start();
    const versions = { minVersion: version, maxVersion: version };
    const first = await ask(app, { ...versions, cert, key });
    expect(first).toMatchObject({ detail: 'No enabled client has a name of the certificate.' });
    const { session } = first;
    const second = await ask(app, { ...versions, ...(session && { session }) });
    expect(second).toMatchObject({
      detail: 'The request contains no client authentication.',
      isReused: false,
    });
  },
);
