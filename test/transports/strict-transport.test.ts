// With an https public URL every HTTP answer has Strict-Transport-Security (RFC 6797).

import { connect as openSocket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { startTestApp } from '../support/harness.ts';
import { itHoldsFor } from '../support/rule.ts';

const paths = [
  '/no-such-path',
  '/.well-known/jwks.json',
  '/clients',
  '/errors',
  '/console',
  '/assets/none.js',
  '/s/aaaaaaaaaaaaaaaaaaaaaa',
  '/latchkey.identity.v1.SessionService/SignIn',
];

itHoldsFor([
  ['https://latchkey.test', 'max-age=31536000'],
  ['http://latchkey.test', null],
])('answers have the header only under https', async (publicUrl, expected) => {
  const port = await freePort();
  const http = { host: '127.0.0.1', port };
  const test = await startTestApp({ config: { publicUrl, http } });
  onTestFinished(() => test.remove());
  for (const path of paths) {
    const { headers } = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' });
    expect(headers.get('strict-transport-security'), path).toBe(expected);
  }
  const socket = openSocket(port, '127.0.0.1');
  socket.end('nonsense\r\n\r\n');
  expect(/strict-transport-security: (.*)\r/.exec(await text(socket))?.[1] ?? null).toBe(expected);
});
