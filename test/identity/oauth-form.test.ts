// The token request of OAuth clients: a form or HTTP Basic, one mechanism at a time.
import { decodeJwt } from 'jose';
import { beforeAll, expect, it } from 'vitest';
import { describeAppOnSqlite } from '../support/app-suite.ts';
import { unknownCredential } from '../support/invalid-credentials.ts';
import { findLeaks } from '../support/log-leaks.ts';
import { type Added, addClient } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';

/** `{id}` and `{secret}` stand for the client's, with `%` encoded; `{other}` for another id. */
type Request = {
  /** The parts of HTTP Basic, before base64. */
  readonly basic?: string;
  /** How Basic is spelt. */
  readonly scheme?: string;
  /** The header, where it is not Basic's. */
  readonly authorization?: string;
  readonly type?: string;
  readonly body?: string;
  readonly query?: string;
};

const formType = 'application/x-www-form-urlencoded';
const grant = 'grant_type=client_credentials';
const scope = 'scope=accounts%3Aread+payments%3Awrite';
const id = 'client_id={id}';
const secret = 'client_secret={secret}';
const inBody = `${grant}&${scope}&${id}&${secret}`;
const withBasic = `${grant}&${scope}`;
const jsonScope = '"scope":"accounts:read payments:write"';

const byBasic = (basic: string, body = withBasic): Request => ({ basic, body });
const byHeader = (authorization: string): Request => ({ authorization, body: withBasic });
const byJson = (basic: string, body: string): Request => ({
  type: 'application/json',
  basic,
  body,
});

const accepted: [string, Request][] = [
  ['a form with the client in it', { body: inBody }],
  ['a form in addition to HTTP Basic', byBasic('{id}:{secret}')],
  ['Basic whose parts are encoded', byBasic('{id%}:{secret%}')],
  ['the scheme in capitals', { scheme: 'BASIC', basic: '{id}:{secret}', body: withBasic }],
  ['a client id that Basic names, too', byBasic('{id}:{secret}', `${withBasic}&${id}`)],
  ['an empty secret in addition to Basic', byBasic('{id}:{secret}', `${withBasic}&client_secret=`)],
  ['parameters in any order', { body: `${secret}&${id}&${scope}&${grant}` }],
  [
    'an empty parameter in addition to the same parameter',
    { body: `${inBody}&scope=&client_secret=` },
  ],
  ['an unknown parameter', { body: `${inBody}&acr_values=https%3A%2F%2Fa.example&x=b` }],
  ['an unknown parameter, twice', { body: `${inBody}&acr_values=a&acr_values=b` }],
  ['an unknown parameter that is not UTF-8', { body: `${inBody}&acr_values=%FF` }],
  ['names that resemble fields', { body: `${inBody}&clientSecret=x&__proto__=y&constructor=z` }],
  ['empty pairs', { body: `&&${inBody}&` }],
  ['a charset', { type: 'application/x-www-form-urlencoded; charset=UTF-8', body: inBody }],
  ['a quoted charset', { type: 'Application/X-WWW-Form-URLEncoded;charset="utf-8"', body: inBody }],
  ['a bearer token, which is ignored', { authorization: 'Bearer eyJ.a.b', body: inBody }],
  ['JSON in addition to Basic', byJson('{id}:{secret}', `{${jsonScope}}`)],
  ['JSON with the id, too', byJson('{id}:{secret}', `{"clientId":"{id}",${jsonScope}}`)],
  [
    'JSON with nulls in addition to Basic',
    byJson('{id}:{secret}', `{"client_id":null,"client_secret":null,${jsonScope}}`),
  ],
];

type Refusal = { readonly code: string; readonly error: string; readonly fields?: string[] };

const invalid = (...fields: string[]): Refusal => ({
  code: 'invalid_argument',
  error: 'invalid_request',
  fields,
});
const noAssertionType = invalid('client_assertion_type');
const badClient: Refusal = { code: 'identity.credential_invalid', error: 'invalid_client' };
const badGrant: Refusal = {
  code: 'identity.unsupported_grant_type',
  error: 'unsupported_grant_type',
};
const badScope: Refusal = { code: 'identity.scope_not_granted', error: 'invalid_scope' };
const badTarget: Refusal = { code: 'identity.invalid_target', error: 'invalid_target' };
const badType: Refusal = { code: 'unsupported_media_type', error: 'invalid_request' };

const rejected: [string, Request, Refusal][] = [
  // The client.
  ['a wrong secret', { body: inBody.replace('{secret}', 'hunter2') }, badClient],
  ['a wrong secret by Basic', byBasic('{id}:hunter2'), badClient],
  ['a secret with a colon', byBasic('{id}:{secret}:'), badClient],
  ['a secret with an encoded colon', byBasic('{id}:{secret}%3A'), badClient],
  ["another client's id", byBasic('{other}:{secret}'), badClient],
  ['no client at all', { body: withBasic }, badClient],
  ['an id without a secret', { body: `${withBasic}&${id}` }, badClient],
  ['an id with an empty secret', { body: `${withBasic}&${id}&client_secret=` }, badClient],
  ['no assertion type', { body: `${withBasic}&client_assertion=a` }, noAssertionType],
  ['an unknown scheme', byHeader('Negotiate YQ=='), badClient],
  ['a secret without an id', { body: `${withBasic}&${secret}` }, invalid('client_id')],
  ['Basic of no id', byBasic(':{secret}'), badClient],
  ['Basic of no secret', byBasic('{id}:'), badClient],
  ['Basic of a colon', byBasic(':'), badClient],
  ['Basic without a colon', byBasic('{id}{secret}'), badClient],
  ['Basic of nothing', byHeader('Basic'), badClient],
  ['Basic of nothing and a space', byHeader('Basic  '), badClient],
  ['Basic that is not base64', byHeader('Basic %%%%'), badClient],
  ['Basic in two parts', byHeader('Basic YTpi YTpi'), badClient],
  ['Basic that is not UTF-8', byHeader('Basic YTr/'), badClient],
  ['Basic encoded badly', byBasic('{id}:{secret}%4'), badClient],
  ['Basic encoded to no UTF-8', byBasic('{id}%FF:{secret}'), badClient],
  ['Basic of an id too long', byBasic(`${'i'.repeat(129)}:x`), invalid('client_id')],
  ['Basic of a secret too long', byBasic(`{id}:${'s'.repeat(257)}`), invalid('client_secret')],
  ['Basic with a NUL', byBasic('{id}:a%00b'), invalid('client_secret')],
  // One mechanism at a time.
  ['Basic in addition to a secret', byBasic('{id}:{secret}', inBody), invalid('client_secret')],
  [
    'Basic in addition to another id',
    byBasic('{id}:{secret}', `${withBasic}&client_id={other}`),
    invalid('client_id'),
  ],
  [
    'bad Basic in addition to a good client',
    { authorization: 'Basic', body: inBody },
    invalid('client_secret'),
  ],
  [
    'Basic in addition to a secret in JSON',
    byJson('{id}:{secret}', `{"clientSecret":"{secret}",${jsonScope}}`),
    invalid('client_secret'),
  ],
  [
    'Basic in addition to another id in JSON',
    byJson('{id}:{secret}', `{"client_id":"{other}",${jsonScope}}`),
    invalid('client_id'),
  ],
  [
    'Basic in addition to an unknown field in JSON',
    byJson('{id}:{secret}', `{"acr_values":"a",${jsonScope}}`),
    invalid('acr_values'),
  ],
  ['wrong Basic in addition to JSON', byJson('{id}:hunter2', `{${jsonScope}}`), badClient],
  // The parameters.
  ['no grant type', { body: `${scope}&${id}&${secret}` }, invalid('grant_type')],
  ['an empty grant type', { body: `grant_type=&${scope}&${id}&${secret}` }, invalid('grant_type')],
  ['an empty form', { body: '' }, invalid('grant_type')],
  ['JSON for a form', { body: '{"grant_type":"client_credentials"}' }, invalid('grant_type')],
  ['another grant type', { body: inBody.replace('client_credentials', 'password') }, badGrant],
  ['a secret twice', { body: `${inBody}&${secret}` }, invalid('client_secret')],
  ['a scope twice', { body: `${inBody}&scope=payments%3Awrite` }, invalid('scope')],
  ['a grant type twice', { body: `${inBody}&${grant}` }, invalid('grant_type')],
  ['a scope that is not UTF-8', { body: `${grant}&scope=%FF&${id}&${secret}` }, invalid('scope')],
  [
    'a scope too long',
    { body: `${grant}&scope=${'a'.repeat(7201)}&${id}&${secret}` },
    invalid('scope'),
  ],
  ['no scope', { body: `${grant}&${id}&${secret}` }, badScope],
  ['a scope that is not granted', { body: inBody.replace('payments', 'clients') }, badScope],
  // The caller would otherwise take an unlimited token for a limited one.
  ['an unknown resource', { body: `${inBody}&resource=https%3A%2F%2Fa.example` }, badTarget],
  ['an audience', { body: `${inBody}&audience=a` }, badTarget],
  ['a parameter of the query', { query: '?scope=accounts%3Aread', body: inBody }, invalid('scope')],
  [
    'a secret in the query',
    { query: '?client_secret={secret}', body: `${withBasic}&${id}` },
    invalid('client_secret'),
  ],
  [
    'an unknown parameter of the query',
    { query: '?resource=a', body: inBody },
    invalid('resource'),
  ],
  // The form itself.
  [
    'another charset',
    { type: 'application/x-www-form-urlencoded;charset=iso-8859-1', body: inBody },
    badType,
  ],
  ['a multipart form', { type: 'multipart/form-data; boundary=x', body: inBody }, badType],
];

describeAppOnSqlite('a token request', (suite) => {
  let client: Added;
  const credentials: string[] = [];
  beforeAll(async () => {
    client = await addClient(suite.app.inside.db, 'accounts:read payments:write');
  });

  function fill(text: string): string {
    const values: Record<string, string> = {
      '{id}': client.ownerId,
      '{secret}': client.text,
      '{id%}': encoded(client.ownerId),
      '{secret%}': encoded(client.text),
      '{other}': 'cli_0000000000000000000000',
    };
    return text.replace(/\{(?:id|secret)%?\}|\{other\}/g, (name) => values[name] ?? '');
  }

  async function ask(request: Request, path = '/tokens') {
    const { scheme = 'Basic', basic, authorization, type = formType, body = '', query } = request;
    const base64 = Buffer.from(fill(basic ?? '')).toString('base64');
    const header = basic === undefined ? authorization : `${scheme} ${base64}`;
    credentials.push(...(header ?? '').split(' ').filter((word) => word.length > 40));
    const response = await fetch(suite.app.publicUrl + path + fill(query ?? ''), {
      method: 'POST',
      headers: { 'content-type': type, ...(header === undefined ? {} : { authorization: header }) },
      body: fill(body),
    });
    const text = await response.text();
    return { response, text, json: JSON.parse(text) as Record<string, unknown> };
  }

  itHoldsFor(accepted, 19)('accepts every form of the standard', async (_, request) => {
    const { response, json } = await ask(request);

    expect({ status: response.status, json }).toMatchObject({
      status: 200,
      json: {
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 300,
        scope: 'accounts:read payments:write',
      },
    });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('pragma')).toBe('no-cache');
    expect(decodeJwt(String(json.access_token)).sub).toBe(client.ownerId);
  });

  itHoldsFor(rejected, 51)(
    'rejects any other request',
    async (_, request, { code, error, fields }) => {
      const { response, json, text } = await ask(request);

      expect(json).toMatchObject({ code, error, status: response.status });
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('pragma')).toBe('no-cache');
      const errors = json.errors as { field: string }[] | undefined;
      expect(errors?.map(({ field }) => field)).toEqual(fields);
      expect(response.headers.get('www-authenticate')).toBe(
        error === 'invalid_client' ? 'Basic realm="latchkey"' : null,
      );
      expect(response.status).toBe(
        { invalid_client: 401 }[error] ?? (code === badType.code ? 415 : 400),
      );
      for (const value of [client.text, 'hunter2']) expect(text).not.toContain(value);
    },
  );

  it('leaves no credential in the log', async () => {
    expect(credentials.length).toBeGreaterThan(20);
    const secrets = [...credentials, client.text, encoded(client.text)];
    expect(await findLeaks(suite.testApp, secrets)).toEqual([]);
    const log = await suite.testApp.logText();
    expect(log).toContain('identity.credential_invalid');
    expect(log).not.toContain('hunter2');
  });

  it('gives the same answer for every wrong client in Basic', async () => {
    const wrong = ['{id}:hunter2', `{id}:${unknownCredential('cs')}`, '{other}:{secret}'];
    const answers = await Promise.all(
      wrong.map(async (basic) => {
        const { json } = await ask({ basic, body: withBasic });
        return { ...json, request_id: '' };
      }),
    );
    expect(answers[0]).toMatchObject({ status: 401, error: 'invalid_client' });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  itHoldsFor(['na"me', 'na\\me', 'nämé', 'na\u0000me', 'n\u{1f511}me'], 5)(
    'describes an error in the characters of RFC 6749 whatever a field is named',
    async (name) => {
      const { json } = await ask({ type: 'application/json', body: JSON.stringify({ [name]: 1 }) });

      expect(json).toMatchObject({ error: 'invalid_request', errors: [{ field: name }] });
      expect(json.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
      expect(json.error_description).toMatch(/^na?\?m.: is not a field of this method$/);
    },
  );

  itHoldsFor(['/tokens/api-key', '/tokens/verify'])(
    'is not accepted as a form at other paths',
    async (path) => {
      const { CLIENT_ID: client_id, CLIENT_SECRET: client_secret } = suite.testApp.env;
      const body = { client_id, client_secret, scope: 'tokens:read' };
      const granted = await ask({ type: 'application/json', body: JSON.stringify(body) });
      const authorization = `Bearer ${granted.json.access_token}`;
      const { json } = await ask({ authorization, body: 'api_key=a&token=b' }, path);

      expect(json).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    },
  );
});

/** Every character that may be percent-encoded is. */
function encoded(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
}
