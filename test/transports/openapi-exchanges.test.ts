// The comparison of the suite's exchanges with the OpenAPI document finds differences.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkExchangesWith } from '../support/documented-exchanges.ts';
import { itHoldsFor } from '../support/rule.ts';

type Sent = { status: number; headers: Record<string, string>; body: object };

const token = { access_token: 'a', token_type: 'Bearer', expires_in: 300, scope: 'a:read' };
const headers = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-request-id': 'r',
};
const sent = (changes: Partial<Sent> = {}): Sent => ({
  status: 200,
  headers,
  body: token,
  ...changes,
});

let next: Sent = sent();
let server: Server;
let origin: string;
let endChecks: () => void;
beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(next.status, next.headers).end(JSON.stringify(next.body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  endChecks = checkExchangesWith(origin);
});
afterAll(() => {
  endChecks();
  server.close();
});

const credentials = { client_id: 'cli_1', client_secret: 'lk_cs_1', scope: 'a:read' };

function issue(answer: Sent, body: object = credentials, path = '/tokens'): Promise<Response> {
  next = answer;
  return fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

describe('an exchange', () => {
  it('that the document describes is accepted', async () => {
    expect(await (await issue(sent())).json()).toEqual(token);
  });

  it('may use both names of a field', async () => {
    const { client_id: clientId, ...rest } = credentials;
    expect((await issue(sent(), { ...rest, clientId })).status).toBe(200);
  });

  itHoldsFor([
    ['an undocumented path', sent(), '/tokens/new', /no such operation/],
    ['an undocumented status', sent({ status: 206 }), '/tokens', /no such status/],
    ['an undocumented member', sent({ body: { ...token, extra: 1 } }), '/tokens', /additional/],
    ['a missing member', sent({ body: { token_type: 'Bearer' } }), '/tokens', /access_token/],
    ['an undocumented header', sent({ headers: { ...headers, etag: '"1"' } }), '/tokens', /etag/],
    [
      'a missing header',
      sent({ headers: { 'content-type': 'application/json' } }),
      '/tokens',
      /X-Request-Id/,
    ],
    [
      'another content type',
      sent({ headers: { ...headers, 'content-type': 'text/plain' } }),
      '/tokens',
      /text\/plain/,
    ],
  ])('that differs from the document is refused', async (_name, answer, path, reason) => {
    await expect(issue(answer, credentials, path)).rejects.toThrow(reason);
  });

  it('with an undocumented member of an accepted request is refused', async () => {
    const refused = issue(sent(), { ...credentials, undocumented: 'a' });
    await expect(refused).rejects.toThrow(/the request: .*additional/);
  });

  it('with an error code that the document does not list is refused', async () => {
    const body = {
      ...{ type: 'https://a.example/errors#gone', title: 'Gone', status: 401, detail: 'Gone.' },
      ...{ code: 'gone', request_id: 'r', error: 'invalid_request', error_description: 'Gone.' },
    };
    const challenge = { 'www-authenticate': 'Basic realm="latchkey"' };
    const answer = sent({ status: 401, headers: { ...headers, ...challenge }, body });
    await expect(issue(answer)).rejects.toThrow(/allowed values/);
  });
});
