// The caller's address behind proxies.
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPeerOf } from '../../src/transports/http/request-facts.ts';
import { startTestApp } from '../support/harness.ts';
import { startProgram } from '../support/program.ts';
import { openRawHttp, requestHead } from '../support/raw-http.ts';
import { itHoldsFor, product } from '../support/rule.ts';

/** The request headers of a client on this machine. */
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

describe('the caller’s address', () => {
  itHoldsFor([
    ['the peer if no proxy is trusted', [], '192.0.2.1', '127.0.0.1'],
    ['the peer if it is not a trusted proxy', ['10.0.0.0/8'], '192.0.2.1', '127.0.0.1'],
    ['the address that a trusted proxy names', ['127.0.0.1'], '192.0.2.1', '192.0.2.1'],
    ['the last address that it names', ['127.0.0.1'], '203.0.113.9, 192.0.2.1', '192.0.2.1'],
    [
      'the last address that is not a trusted proxy',
      ['127.0.0.1', '10.0.0.0/8'],
      '203.0.113.9, 192.0.2.1, 10.1.2.3',
      '192.0.2.1',
    ],
    ['the same over IPv6', ['127.0.0.1'], '::ffff:192.0.2.1', '192.0.2.1'],
    ['the same in hexadecimal digits', ['127.0.0.1'], '::FFFF:C000:201', '192.0.2.1'],
    ['the same in brackets and with a port', ['127.0.0.1'], '[::ffff:c000:201]:9', '192.0.2.1'],
    ['the same with a port', ['127.0.0.1'], '192.0.2.1:49152', '192.0.2.1'],
    ['the same with a port over IPv6', ['127.0.0.1'], '[2001:db8::1]:49152', '2001:db8::1'],
    ['the same in brackets', ['127.0.0.1'], '[2001:db8::1]', '2001:db8::1'],
    ['the same without a port', ['127.0.0.1'], '2001:db8::1:4915', '2001:db8::1:4915'],
    [
      'the last address that is not a trusted proxy, with ports',
      ['127.0.0.1', '10.0.0.0/8'],
      '203.0.113.9:1, 192.0.2.1:2, 10.1.2.3:3',
      '192.0.2.1',
    ],
    [
      'the last address that is not a trusted proxy, if proxies are written as IPv6',
      ['127.0.0.1', '10.0.0.0/8'],
      '203.0.113.9, ::ffff:c000:201, ::ffff:a01:203',
      '192.0.2.1',
    ],
    ['an IPv6 address in its canonical form', ['127.0.0.1'], '2001:0DB8:0::1', '2001:db8::1'],
    ['an IPv6 address without its zone', ['127.0.0.1'], '[fe80::1%eth0]:9', 'fe80::1'],
    ['the peer if the header contains no address', ['127.0.0.1'], 'unknown', '127.0.0.1'],
    ['the peer if the header is empty', ['127.0.0.1'], '', '127.0.0.1'],
  ])('is the one that the trusted proxies report', async (_, trusted, forwarded, expected) => {
    const message = await received({ 'x-forwarded-for': forwarded });
    expect(createPeerOf(trusted)(message)).toBe(expected);
  });
});

it('an untrusted peer that names a caller is reported once', async () => {
  const reports: string[] = [];
  const peerOf = createPeerOf(['10.0.0.0/8'], (peer) => reports.push(peer));
  peerOf(await received({}));
  expect(reports).toEqual([]);
  for (let i = 0; i < 3; i++) peerOf(await received({ 'x-forwarded-for': '192.0.2.1' }));
  expect(reports).toEqual(['127.0.0.1']);

  const trusted = createPeerOf(['127.0.0.1'], (peer) => reports.push(peer));
  trusted(await received({ 'x-forwarded-for': '192.0.2.1' }));
  expect(reports).toHaveLength(1);
});

it('the log warns of such a peer, without the value of the header', async () => {
  const test = await startTestApp();
  onTestFinished(() => test.remove());
  for (let i = 0; i < 3; i++) {
    await fetch(test.app.publicUrl, { headers: { 'x-forwarded-for': '203.0.113.77' } });
  }
  const log = await test.logText();
  expect(log.split('LATCHKEY_TRUSTED_PROXIES')).toHaveLength(2);
  expect(log).not.toContain('203.0.113.77');
});

const peers: [string, trustedProxies: string[], expected: string][] = [
  ['a trusted proxy', ['127.0.0.1'], '192.0.2.7'],
  ['an untrusted proxy', [], '127.0.0.1'],
];

const signIns: [transport: string, signIn: string, list: string][] = [
  ['HTTP/JSON', '/sessions', '/sessions'],
  [
    'Connect',
    '/latchkey.identity.v1.SessionService/SignIn',
    '/latchkey.identity.v1.SessionService/ListSessions',
  ],
];

itHoldsFor(product(peers, signIns), 4)(
  'a sign-in is logged with the address of its caller',
  async (_, trustedProxies, expected, transport, signIn, list) => {
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
      transport === 'Connect'
        ? await send(list, {}, { authorization })
        : await fetch(`${test.app.publicUrl}${list}`, { headers: { authorization } });
    expect(await sessions.json()).toMatchObject({ sessions: [{ address: expected }] });
  },
);

describe('a connection that is reset before it is read', () => {
  const head = { Host: 'latchkey.test', 'Content-Type': 'application/json', 'Content-Length': '2' };

  itHoldsFor([
    ['a page', '/console'],
    ['HTTP/JSON', '/sessions'],
    ['Connect', '/latchkey.identity.v1.SessionService/SignIn'],
  ])('does not disturb the server at any path', async (_, path) => {
    const program = await startProgram({ LATCHKEY_TRUSTED_PROXIES: '127.0.0.1' });
    onTestFinished(() => program.remove());
    program.child.kill('SIGSTOP');
    for (let count = 0; count < 5; count++) {
      const connection = await openRawHttp(program.httpPort);
      await connection.write(`${requestHead('POST', path, head)}{}`);
      connection.reset();
    }
    program.child.kill('SIGCONT');
    const response = await fetch(`${program.env.LATCHKEY_BASE_URL}/console`);
    expect(response.status).toBe(200);
    expect(program.stderr()).not.toContain('Error');
  });
});
