// Whom the service takes for its caller, where proxies stand in between.
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPeerOf } from '../../src/faces/peer.ts';
import { startTestApp } from '../support/harness.ts';

/** What a server is told by somebody who connects from this machine. */
async function received(headers: Record<string, string | string[]>): Promise<IncomingMessage> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const arrived = new Promise<IncomingMessage>((resolve) => {
    server.once('request', (message, response) => {
      resolve(message);
      response.end();
    });
  });
  const { port } = server.address() as AddressInfo;
  request({ host: '127.0.0.1', port, headers }).end();
  onTestFinished(() => {
    server.close();
  });
  return arrived;
}

describe('the caller', () => {
  it.each([
    ['who connects, where nobody is trusted', [], '192.0.2.1', '127.0.0.1'],
    ['who connects, where that is no trusted proxy', ['10.0.0.0/8'], '192.0.2.1', '127.0.0.1'],
    ['whom a trusted proxy names', ['127.0.0.1'], '192.0.2.1', '192.0.2.1'],
    ['whom it names last', ['127.0.0.1'], '203.0.113.9, 192.0.2.1', '192.0.2.1'],
    [
      'the last who is no trusted proxy',
      ['127.0.0.1', '10.0.0.0/8'],
      '203.0.113.9, 192.0.2.1, 10.1.2.3',
      '192.0.2.1',
    ],
    ['the same over IPv6', ['127.0.0.1'], '::ffff:192.0.2.1', '192.0.2.1'],
    ['who connects, where what is named is no address', ['127.0.0.1'], 'unknown', '127.0.0.1'],
    ['who connects, where none is named', ['127.0.0.1'], '', '127.0.0.1'],
  ])('is %s', async (_, trusted, forwarded, expected) => {
    const message = await received({ 'x-forwarded-for': forwarded });
    expect(createPeerOf(trusted)(message)).toBe(expected);
  });
});

describe.each([
  ['from a proxy that is trusted', ['127.0.0.1'], '192.0.2.7'],
  ['from one that is not', [], '127.0.0.1'],
])('a sign-in %s', (_, trustedProxies, expected) => {
  it.each([
    ['HTTP/JSON', '/sessions', '/sessions'],
    [
      'Connect',
      '/latchkey.identity.v1.SessionService/SignIn',
      '/latchkey.identity.v1.SessionService/ListSessions',
    ],
  ])('is told with the address of its caller over %s', async (door, signIn, list) => {
    const test = await startTestApp({ config: { trustedProxies } });
    onTestFinished(() => test.remove());
    const { STAFF_EMAIL: email, STAFF_PASSWORD: password } = test.env;
    const send = (path: string, body: object, headers = {}) =>
      fetch(`${test.app.publicUrl}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-forwarded-for': '203.0.113.5, 192.0.2.7',
          ...headers,
        },
        body: JSON.stringify(body),
      });
    const answer = JSON.stringify(await (await send(signIn, { email, password })).json());
    const token = /"access_?token":"([^"]+)"/i.exec(answer)?.[1];
    const authorization = `Bearer ${token}`;
    const sessions =
      door === 'Connect'
        ? await send(list, {}, { authorization })
        : await fetch(`${test.app.publicUrl}${list}`, { headers: { authorization } });
    expect(await sessions.json()).toMatchObject({ sessions: [{ address: expected }] });
  });
});
