// How an error is said: its body, its headers, its metadata; and what is never in it.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Code } from '@connectrpc/connect';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import SQLite from 'better-sqlite3';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { IssuanceService } from '../gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../gen/latchkey/identity/v1/verification_pb.js';
import { type Door, openDoors } from './support/doors.ts';
import { describeDialects, startTestApp, type TestApp } from './support/harness.ts';
import { startPostgres } from './support/postgres.ts';
import { type Added, addClient } from './support/rows.ts';
import { describeApp, describeDoors, type Suite } from './support/suite.ts';
import { signToken } from './support/tokens.ts';

const { issueToken } = IssuanceService.method;
const { revokeToken, verifyToken } = VerificationService.method;

const secret = 'hunter2-hunter2-hunter2';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Problem = Record<string, unknown> & { errors?: { field: string; detail: string }[] };

async function ask(suite: Suite, target: string, init: RequestInit = {}) {
  const response = await fetch(suite.app.publicUrl + target, init);
  const text = await response.text();
  return { response, text, problem: JSON.parse(text) as Problem };
}

const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** What is wrong with the body of `POST /tokens`, and the fields that are named for it. */
const badBodies: [string, string, string[]][] = [
  ['an unknown field', JSON.stringify({ client_id: 'c', clientsecret: secret }), ['clientsecret']],
  [
    'both spellings of a field',
    JSON.stringify({ client_id: 'c', client_secret: secret, clientSecret: secret }),
    ['client_secret'],
  ],
  ['a field of another type', `{"client_id":"c","client_secret":["${secret}"]}`, ['client_secret']],
  ['an object for a text', `{"client_secret":{"value":"${secret}"}}`, ['client_secret']],
  ['a number for a text', '{"client_secret":20111979}', ['client_secret']],
  ['a list', `["${secret}"]`, []],
  ['a text', `"${secret}"`, []],
  ['null', 'null', []],
  ['a number', '20111979', []],
  ['half an object', `{"client_secret":"${secret}"`, []],
  ['no JSON', `client_secret=${secret}`, []],
  ['nothing', '', ['client_id', 'client_secret']],
  ['an empty object', '{}', ['client_id', 'client_secret']],
];

describeApp('an error', (suite) => {
  let bearer: string;
  beforeAll(async () => {
    const own = { type: 'service', scope: 'tokens:read tokens:write' } as const;
    bearer = `Bearer ${await signToken(suite.app, own)}`;
  });

  describe('over HTTP', () => {
    it('has exactly the members of RFC 9457, a code and the id of the request', async () => {
      const { response, problem } = await ask(suite, '/tokens/verify', json({}));

      expect(response.status).toBe(401);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(problem).toEqual({
        type: `${suite.app.publicUrl}/errors#unauthenticated`,
        title: 'A valid credential is needed',
        status: 401,
        detail: 'A bearer credential is needed.',
        code: 'unauthenticated',
        request_id: response.headers.get('x-request-id'),
      });
    });

    it('names the fields that are wrong, where the input is', async () => {
      const init = json({ account_id: 'a'.repeat(129) }, { authorization: bearer });
      const { response, problem } = await ask(suite, '/tokens/verify', init);

      expect(response.status).toBe(400);
      expect(Object.keys(problem).sort()).toEqual(
        ['code', 'detail', 'errors', 'request_id', 'status', 'title', 'type'].sort(),
      );
      expect(problem.errors).toEqual([
        { field: 'token', detail: expect.stringMatching(/\w/) },
        { field: 'account_id', detail: expect.stringMatching(/\w/) },
      ]);
    });

    it('lists fields for invalid_argument alone, though the list be empty', async () => {
      const noJson = await ask(suite, '/tokens/verify', json('{', { authorization: bearer }));
      expect(noJson.problem).toMatchObject({ code: 'invalid_argument', errors: [] });
      const elsewhere = await ask(suite, '/nowhere');
      expect(elsewhere.problem).not.toHaveProperty('errors');
    });

    it.each([
      ['/tokens', {}, 400, 'invalid_argument', 'invalid_request'],
      [
        '/tokens',
        { client_id: 'c', client_secret: 's', grant_type: 'password' },
        400,
        'identity.unsupported_grant_type',
        'unsupported_grant_type',
      ],
      [
        '/tokens',
        { client_id: 'c', client_secret: 's' },
        401,
        'identity.credential_invalid',
        'invalid_client',
      ],
      ['/tokens/api-key', { api_key: 'k' }, 401, 'identity.credential_invalid', 'invalid_client'],
    ])(
      'says at %s to %j also what RFC 6749 has it say',
      async (target, body, status, code, error) => {
        const { response, problem } = await ask(suite, target, json(body));

        expect(response.status).toBe(status);
        expect(response.headers.get('content-type')).toBe('application/json');
        expect(response.headers.get('cache-control')).toBe('no-store');
        expect(response.headers.get('www-authenticate')).toBeNull();
        expect(problem).toMatchObject({ code, status, error, error_description: problem.detail });
      },
    );

    it('says invalid_scope for a scope that is not granted', async () => {
      const { CLIENT_ID: client_id, CLIENT_SECRET: client_secret } = suite.testApp.env;
      const body = { client_id, client_secret, scope: 'clients:write' };

      const { response, problem } = await ask(suite, '/tokens', json(body));

      expect(response.status).toBe(400);
      expect(problem).toMatchObject({
        code: 'identity.scope_not_granted',
        error: 'invalid_scope',
      });
      expect(problem).not.toHaveProperty('errors');
    });

    it('says what RFC 6749 has it say on the routes that issue a token alone', async () => {
      for (const target of ['/tokens/verify', '/tokens/revoke', '/nowhere', '/api/v1/links']) {
        const { response, problem } = await ask(suite, target, json({}));
        expect(response.headers.get('content-type')).toBe('application/problem+json');
        expect(problem, target).not.toHaveProperty('error');
        expect(problem, target).not.toHaveProperty('error_description');
      }
    });

    it.each(badBodies)(
      'refuses %s, naming the field and not its value',
      async (_, body, fields) => {
        const { response, problem, text } = await ask(suite, '/tokens', json(body));

        expect(response.status).toBe(400);
        expect(problem.code).toBe('invalid_argument');
        expect(problem.errors?.map(({ field }) => field)).toEqual(fields);
        expect(text).not.toContain(secret);
        expect(text).not.toContain('20111979');
      },
    );

    it('refuses an unknown parameter of the query, naming it and not its value', async () => {
      const authorization = `Bearer ${suite.testApp.env.API_KEY}`;
      const target = `/api/v1/links?pagesize=${secret}`;
      const { response, problem, text } = await ask(suite, target, { headers: { authorization } });

      expect(response.status).toBe(400);
      expect(problem.errors?.map(({ field }) => field)).toEqual(['pagesize']);
      expect(text).not.toContain(secret);
    });

    it.each([
      ['page_size=many', 'page_size'],
      ['page_size=-1', 'page_size'],
      ['page_size=1&page_size=2', 'page_size'],
      ['page_size=1&pageSize=2', 'pageSize'],
      ['page_token=hunter2', 'page_token'],
    ])('refuses the query %s, naming the parameter', async (query, field) => {
      const authorization = `Bearer ${suite.testApp.env.API_KEY}`;
      const { response, problem, text } = await ask(suite, `/api/v1/links?${query}`, {
        headers: { authorization },
      });

      expect(response.status).toBe(400);
      expect(problem.errors?.map((error) => error.field)).toEqual([field]);
      expect(text).not.toContain('hunter2');
    });

    it('is 404 where there is nothing, whatever the method', async () => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        const { response, problem } = await ask(suite, '/nowhere/at/all', { method });
        expect(response.status, method).toBe(404);
        expect(response.headers.get('content-type')).toBe('application/problem+json');
        expect(problem).toMatchObject({ code: 'not_found', status: 404 });
        expect(problem.request_id).toBe(response.headers.get('x-request-id'));
      }
    });

    it('is 404 for an asset that is not there, with the id of the request', async () => {
      const headers = { 'x-request-id': 'mine' };
      const { response, problem } = await ask(suite, '/assets/none.js', { headers });
      expect(response.status).toBe(404);
      expect(response.headers.get('x-request-id')).toBe('mine');
      expect(problem).toMatchObject({ code: 'not_found', request_id: 'mine' });
    });

    it.each([
      ['/tokens', 'GET', 'POST'],
      ['/tokens', 'PROPFIND', 'POST'],
      ['/.well-known/jwks.json', 'POST', 'GET, HEAD'],
      ['/api/v1/documents', 'DELETE', 'GET, HEAD, POST'],
      ['/api/v1/documents/doc_x', 'POST', 'DELETE, GET, HEAD, PATCH'],
    ])('is 405 at %s for %s, and says what is allowed', async (target, method, allow) => {
      const { response, problem } = await ask(suite, target, { method });

      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe(allow);
      expect(problem).toMatchObject({ code: 'method_not_allowed', status: 405 });
    });

    it('is 413 for a body over its limit', async () => {
      const { response, problem } = await ask(suite, '/tokens', json(`"${'a'.repeat(262_144)}"`));

      expect(response.status).toBe(413);
      expect(problem).toMatchObject({ code: 'payload_too_large', error: 'invalid_request' });
    });

    it.each(['text/plain', 'application/xml', 'application/jsonx', 'multipart/form-data', 'x'])(
      'is 415 for the content type %s',
      async (type) => {
        const headers = { authorization: bearer, 'content-type': type };
        const init = { method: 'POST', headers, body: '{"token":"x"}' };
        const { response, problem } = await ask(suite, '/tokens/verify', init);

        expect(response.status).toBe(415);
        expect(problem).toMatchObject({ code: 'unsupported_media_type', status: 415 });
      },
    );

    it.each(['application/json; charset=utf-8', 'Application/JSON'])(
      'is none for the content type %s',
      async (type) => {
        const headers = { authorization: bearer, 'content-type': type };
        const { response } = await ask(suite, '/tokens/verify', json({ token: 'x' }, headers));
        expect(response.status).toBe(200);
      },
    );
  });

  describe('the id of a request', () => {
    const sane = ['a', 'A-Z_0.9', 'x'.repeat(128)];
    const insane = ['', ' ', 'a b', 'x'.repeat(129), '<script>', 'a,b', 'ä'];

    it('is taken where it is sane, else made, over HTTP', async () => {
      for (const id of sane) {
        const { response, problem } = await ask(suite, '/nowhere', {
          headers: { 'x-request-id': id },
        });
        expect(response.headers.get('x-request-id')).toBe(id);
        expect(problem.request_id).toBe(id);
      }
      for (const id of insane) {
        const { response, problem } = await ask(suite, '/nowhere', {
          headers: { 'x-request-id': id },
        });
        expect(response.headers.get('x-request-id'), id).toMatch(uuid);
        expect(problem.request_id).toBe(response.headers.get('x-request-id'));
      }
    });

    it('comes with a success too, over HTTP and Connect', async () => {
      const headers = { 'x-request-id': 'mine', 'content-type': 'application/json' };
      const jwks = await fetch(`${suite.app.publicUrl}/.well-known/jwks.json`, { headers });
      expect(jwks.headers.get('x-request-id')).toBe('mine');
      const service = `${suite.app.publicUrl}/latchkey.identity.v1.VerificationService`;
      const init = { method: 'POST', headers, body: '{}' };
      const connect = await fetch(`${service}/GetJwks`, init);
      expect(connect.status).toBe(200);
      expect(connect.headers.get('x-request-id')).toBe('mine');
    });

    it('comes in the metadata, over gRPC', async () => {
      const client = new Client(suite.app.grpcAddress, credentials.createInsecure());
      onTestFinished(() => client.close());
      for (const [sent, expected] of [
        ['mine', /^mine$/],
        ['not sane', uuid],
      ] as const) {
        const metadata = new Metadata();
        metadata.set('x-request-id', sent);
        const keep = (bytes: Buffer) => bytes;
        const path = '/latchkey.identity.v1.VerificationService/GetJwks';
        const call = client.makeUnaryRequest(path, keep, keep, Buffer.of(), metadata, () => {});
        const [answered]: Metadata[] = await once(call, 'metadata');
        expect(answered?.get('x-request-id')[0]).toMatch(expected);
      }
    });

    describeDoors((name) => {
      it('is told in an error', async () => {
        for (const [requestId, expected] of [
          ['mine', /^mine$/],
          ['not sane', uuid],
        ] as const) {
          const answer = await suite.door(name).call(verifyToken, { token: 'x' }, { requestId });
          if (answer.ok) throw new Error('a stranger was let in');
          expect(answer.error.requestId).toMatch(expected);
        }
      });
    });
  });

  describe('over Connect', () => {
    const call = async (method: string, init: RequestInit) => {
      const base = `${suite.app.publicUrl}/latchkey.identity.v1.IssuanceService`;
      const response = await fetch(`${base}/${method}`, init);
      return { response, text: await response.text() };
    };

    it.each([
      ['an unknown field', `{"clientId":"c","secret":"${secret}"}`],
      ['a field of another type', `{"clientId":"c","clientSecret":["${secret}"]}`],
      ['half an object', `{"clientSecret":"${secret}"`],
      ['no JSON', `clientSecret=${secret}`],
    ])('does not repeat the value of %s', async (_, body) => {
      const { response, text } = await call('IssueToken', json(body));

      expect(response.status).toBe(400);
      expect(JSON.parse(text)).toMatchObject({ code: 'invalid_argument' });
      expect(text).not.toContain(secret);
    });
  });
});

describeDialects('a fault', (dialect) => {
  it('that nobody foresaw is told as internal, and its cause only to the log', async () => {
    const test = await startTestApp({ dialect });
    onTestFinished(() => test.remove());
    const doors = openDoors(test.app);
    onTestFinished(() => closeAll(doors));
    const client = await addClient(test.app.inside.db, 'accounts:read');
    await test.app.inside.db.schema.dropTable('credentials').execute();

    for (const door of doors) {
      const answer = await door.call(issueToken, requestOf(client), { requestId: door.name });
      expect(answer).toEqual({
        ok: false,
        error: {
          code: 'internal',
          grpc: Code.Internal,
          message: 'Something went wrong on our side.',
          requestId: door.name,
          fields: [],
        },
      });
    }
    const text = JSON.stringify(await httpIssue(test, client));
    expect(text).not.toMatch(/credentials|table|relation|sql/i);

    const lines = (await test.logText()).split('\n').filter((line) => line.includes('internal'));
    for (const { name } of doors) {
      const line = lines.find((one) => JSON.parse(one).request_id === name);
      expect(line, name).toMatch(/credentials/);
      expect(line).not.toContain(client.text);
    }
  });
});

describe('a PostgreSQL server that goes away', () => {
  it('makes every call that needs it unavailable, with a time to try again', async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    const databaseUrl = await postgres.createDatabase();
    const test = await startTestApp({ config: { databaseUrl } });
    onTestFinished(() => test.remove());
    const doors = openDoors(test.app);
    onTestFinished(() => closeAll(doors));
    const client = await addClient(test.app.inside.db, 'accounts:read');

    await postgres.stop();

    await expectUnavailable(test, doors, client);
  });
});

describe('an SQLite file that somebody else keeps locked', () => {
  it('makes every call that writes unavailable, with a time to try again', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-test-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const test = await startTestApp({ dataDir: folder });
    onTestFinished(() => test.stop());
    const doors = openDoors(test.app);
    onTestFinished(() => closeAll(doors));
    const locker = new SQLite(`${folder}/latchkey.db`);
    onTestFinished(() => void locker.close());
    const own = { type: 'service', scope: 'tokens:write' } as const;
    const token = await signToken(test.app, own);
    const revoke = (door: Door) =>
      door.call(revokeToken, { token }, { authorization: `Bearer ${token}` });

    locker.exec('BEGIN IMMEDIATE');

    for (const door of doors) {
      expect(await revoke(door)).toMatchObject({
        ok: false,
        error: { code: 'unavailable', grpc: Code.Unavailable },
      });
    }
    locker.exec('ROLLBACK');
    for (const door of doors.slice(0, 1)) expect(await revoke(door)).toMatchObject({ ok: true });
  });
});

async function expectUnavailable(test: TestApp, doors: Door[], client: Added): Promise<void> {
  for (const door of doors) {
    const answer = await door.call(issueToken, requestOf(client));
    expect(answer).toMatchObject({
      ok: false,
      error: {
        code: 'unavailable',
        grpc: Code.Unavailable,
        message: 'The database cannot be reached.',
      },
    });
  }
  const { response, body } = await httpIssue(test, client);
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(body).toMatchObject({ code: 'unavailable', error: 'temporarily_unavailable' });
}

async function httpIssue({ app }: TestApp, { ownerId, text }: Added) {
  const body = { client_id: ownerId, client_secret: text, scope: 'accounts:read' };
  const response = await fetch(`${app.publicUrl}/tokens`, json(body));
  return { response, body: (await response.json()) as Problem };
}

function requestOf({ ownerId, text }: Added) {
  return { clientId: ownerId, clientSecret: text, scope: 'accounts:read' };
}

function closeAll(doors: readonly Door[]): void {
  for (const door of doors) door.close();
}
