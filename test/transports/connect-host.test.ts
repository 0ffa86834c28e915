// Connect does not need a valid Host header.
import { expect, it } from 'vitest';
import { requestHead } from '../support/raw-http.ts';
import { hostileClient } from './hostile.ts';

const hostile = hostileClient();

const path = '/latchkey.identity.v1.SessionService/SignIn';
const head = { 'Content-Type': 'application/json', 'Content-Length': '2' };

it.each([
  ['no host, as HTTP/1.0 allows', requestHead('POST', path, head).replace('HTTP/1.1', 'HTTP/1.0')],
  ['an empty host', requestHead('POST', path, { ...head, Host: '' })],
  ['an invalid host', requestHead('POST', path, { ...head, Host: '[' })],
  ['a host with an invalid port', requestHead('POST', path, { ...head, Host: 'a:b' })],
])('with %s is answered', async (_, request) => {
  const answer = await hostile.exchange(`${request}{}`);
  expect(answer).toMatchObject({ status: 400 });
});
