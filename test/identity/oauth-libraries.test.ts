// Other people's OAuth clients get tokens, and understand our errors.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { ClientCredentials } from 'simple-oauth2';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeAppOnSqlite } from '../support/app-suite.ts';
import { addClientKey } from '../support/client-keys.ts';
import { unknownCredential } from '../support/invalid-credentials.ts';
import { type Added, addClient, addCustomer } from '../support/owner-rows.ts';
import { itHoldsFor, product } from '../support/rule.ts';
import { accessTokenType, customerToken, exchangeGrant } from '../support/token-exchange.ts';

type Client = { readonly id: string; readonly secret: string };

type Grant = { readonly accessToken: string; readonly scope: string; readonly expiresIn: number };

/** Asks for a token. */
type Ask = (baseUrl: string, client: Client, scope: string) => Promise<Grant>;

function askByOpenid(authentication: (secret: string) => openid.ClientAuth): Ask {
  return async (baseUrl, { id, secret }, scope) => {
    const server = { issuer: baseUrl, token_endpoint: `${baseUrl}/tokens` };
    const config = new openid.Configuration(server, id, undefined, authentication(secret));
    openid.allowInsecureRequests(config);
    const granted = await openid.clientCredentialsGrant(config, { scope });
    return {
      accessToken: granted.access_token,
      scope: granted.scope ?? '',
      expiresIn: granted.expires_in ?? 0,
    };
  };
}

function askBySimple(authorizationMethod: 'header' | 'body', bodyFormat: 'form' | 'json'): Ask {
  return async (tokenHost, client, scope) => {
    const simple = new ClientCredentials({
      client,
      auth: { tokenHost, tokenPath: '/tokens' },
      options: { authorizationMethod, bodyFormat },
    });
    const { token } = await simple.getToken({ scope });
    return {
      accessToken: String(token.access_token),
      scope: String(token.scope),
      expiresIn: Number(token.expires_in),
    };
  };
}

/** How each library reports an error. */
type Told = { readonly error: string; readonly description: string; readonly status: number };

type Body = { readonly error: string; readonly error_description: string };

async function toldByOpenid(thrown: unknown): Promise<Told> {
  if (thrown instanceof openid.WWWAuthenticateChallengeError) {
    // The answer to Basic; the library leaves the body to be read.
    expect(thrown.cause).toMatchObject([{ scheme: 'basic', parameters: { realm: 'latchkey' } }]);
    return toldIn((await thrown.response.json()) as Body, thrown.status);
  }
  if (!(thrown instanceof openid.ResponseBodyError)) throw thrown;
  const { error, error_description = '', status } = thrown;
  return toldIn({ error, error_description }, status);
}

async function toldBySimple(thrown: unknown): Promise<Told> {
  const { output, data } = thrown as { output: { statusCode: number }; data: { payload: Body } };
  return toldIn(data.payload, output.statusCode);
}

function toldIn({ error, error_description: description }: Body, status: number): Told {
  return { error, description, status };
}

const libraries: [string, Ask, (thrown: unknown) => Promise<Told>][] = [
  ['openid-client, the secret in the body', askByOpenid(openid.ClientSecretPost), toldByOpenid],
  ['openid-client, by Basic', askByOpenid(openid.ClientSecretBasic), toldByOpenid],
  ['simple-oauth2, the secret in the body', askBySimple('body', 'form'), toldBySimple],
  ['simple-oauth2, by Basic', askBySimple('header', 'form'), toldBySimple],
  ['simple-oauth2, JSON', askBySimple('body', 'json'), toldBySimple],
  ['simple-oauth2, JSON by Basic', askBySimple('header', 'json'), toldBySimple],
];

const insecure = { [oauth.allowInsecureRequests]: true } as const;

type Method = 'client_secret_post' | 'client_secret_basic' | 'private_key_jwt';
const methods: readonly Method[] = ['client_secret_post', 'client_secret_basic', 'private_key_jwt'];

describeAppOnSqlite('an OAuth client', (suite) => {
  let added: Added;
  let client: Client;
  beforeAll(async () => {
    added = await addClient(suite.app.inside.db, 'accounts:read payments:write');
    client = { id: added.ownerId, secret: added.text };
  });

  itHoldsFor(libraries, 6)('gets a token, and understands a refusal', async (_, ask, told) => {
    const error = (thrower: Promise<unknown>) =>
      thrower.then(
        () => 'a token was issued',
        (thrown: unknown) => told(thrown),
      );
    const { publicUrl } = suite.app;
    const granted = await ask(publicUrl, client, 'accounts:read payments:write');
    expect(granted).toMatchObject({ scope: 'accounts:read payments:write', expiresIn: 300 });
    expect(decodeJwt(granted.accessToken).sub).toBe(client.id);

    const wrong = { ...client, secret: unknownCredential('cs') };
    expect(await error(ask(publicUrl, wrong, 'accounts:read'))).toEqual({
      ...{ error: 'invalid_client', status: 401 },
      description: 'The client id or the secret is wrong.',
    });
    expect(await error(ask(publicUrl, client, 'clients:write'))).toEqual({
      ...{ error: 'invalid_scope', status: 400 },
      description: 'The scope clients:write is not granted.',
    });
  });

  describe('with oauth4webapi', () => {
    const authOf = async (
      method: Method,
      id: string,
      secret: string,
    ): Promise<oauth.ClientAuth> => {
      if (method === 'client_secret_post') return oauth.ClientSecretPost(secret);
      if (method === 'client_secret_basic') return oauth.ClientSecretBasic(secret);
      const { publicKey, privateKey } = await oauth.generateKeyPair('ES256', { extractable: true });
      const jwk = await crypto.subtle.exportKey('jwk', publicKey);
      await addClientKey(suite.app.inside.db, id, jwk);
      return oauth.PrivateKeyJwt(privateKey);
    };

    itHoldsFor(product(methods, [true, false]), 6)(
      'gets, uses, introspects and revokes a token',
      async (method, isBound) => {
        const { db } = suite.app.inside;
        const issuer = new URL(suite.app.publicUrl);
        const discovered = await oauth.discoveryRequest(issuer, {
          algorithm: 'oauth2',
          ...insecure,
        });
        const server = await oauth.processDiscoveryResponse(issuer, discovered);
        expect(server.token_endpoint_auth_methods_supported).toContain(method);
        const { ownerId, text } = await addClient(db, 'audit:read');
        const client: oauth.Client = { client_id: ownerId };
        const auth = await authOf(method, ownerId, text);
        const DPoP = isBound ? oauth.DPoP(client, await oauth.generateKeyPair('ES256')) : undefined;
        const binding = { ...insecure, ...(DPoP === undefined ? {} : { DPoP }) };

        const ask = async () =>
          oauth.processClientCredentialsResponse(
            server,
            client,
            await oauth.clientCredentialsGrantRequest(
              server,
              client,
              auth,
              { scope: 'audit:read' },
              binding,
            ),
          );
        const granted = await ask().catch((error) => {
          if (!oauth.isDPoPNonceError(error)) throw error;
          return ask();
        });
        const token = granted.access_token;
        expect(granted).toMatchObject({
          token_type: isBound ? 'dpop' : 'bearer',
          scope: 'audit:read',
        });

        const url = new URL(`${issuer.origin}/audit-events`);
        const use = (given: typeof binding) =>
          oauth.protectedResourceRequest(token, 'GET', url, undefined, null, given);
        expect((await use(binding)).status).toBe(200);

        const introspect = async () =>
          oauth.processIntrospectionResponse(
            server,
            client,
            await oauth.introspectionRequest(server, client, auth, token, insecure),
          );
        expect(await introspect()).toMatchObject({
          ...{ active: true, client_id: ownerId, scope: 'audit:read' },
          ...(isBound ? { token_type: 'DPoP', cnf: { jkt: expect.any(String) } } : {}),
        });
        const revoked = await oauth.revocationRequest(server, client, auth, token, insecure);
        await oauth.processRevocationResponse(revoked);
        expect(await introspect()).toEqual({ active: false });
        await expect(use(binding)).rejects.toMatchObject({ status: 401 });
      },
    );
  });

  describe('with openid-client', () => {
    const discover = (id: string, secret: string, algorithm: 'oauth2' | 'oidc' = 'oauth2') =>
      openid.discovery(new URL(suite.app.publicUrl), id, secret, undefined, {
        algorithm,
        execute: [openid.allowInsecureRequests],
      });

    it('runs the program of docs/clients.md', async () => {
      const { publicUrl, inside } = suite.app;
      const document = readFileSync('docs/clients.md', 'utf8');
      const [, program = ''] = /```js\n(\/\/ token\.mjs.*?)```/s.exec(document) ?? [];
      const { ownerId, text } = await addClient(inside.db, 'payments:read');
      const credentials = { CLIENT_ID: ownerId, CLIENT_SECRET: text };
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--input-type=module', '--eval', program],
        { env: { ...process.env, LATCHKEY_BASE_URL: publicUrl, ...credentials } },
      );
      expect(stdout).toBe("{ active: true, scope: 'payments:read' }\n");
    });

    it('exchanges a token, and binds the new one to its key', async () => {
      const { app } = suite;
      const customer = await addCustomer(app.inside.db, 'accounts:read', { accounts: ['acc_1'] });
      const agent = await addClient(app.inside.db, 'accounts:read', { mayAct: ['customer'] });
      const config = await discover(agent.ownerId, agent.text);
      const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));
      const parameters = {
        subject_token: await customerToken(app, customer),
        subject_token_type: accessTokenType,
        scope: 'accounts:read',
      };
      const plain = await openid.genericGrantRequest(config, exchangeGrant, parameters);
      expect(plain).toMatchObject({ token_type: 'bearer', issued_token_type: accessTokenType });
      const bound = await openid.genericGrantRequest(config, exchangeGrant, parameters, { DPoP });
      expect(bound).toMatchObject({ token_type: 'dpop', issued_token_type: accessTokenType });
      expect(decodeJwt(bound.access_token)).toMatchObject({
        ...{ sub: customer.ownerId, act: { sub: agent.ownerId } },
        cnf: { jkt: expect.any(String) },
      });
      const url = new URL(`${app.publicUrl}/accounts`);
      const get = (options: openid.DPoPOptions) =>
        openid
          .fetchProtectedResource(config, bound.access_token, url, 'GET', null, undefined, options)
          .then((response) => response.json())
          .catch((thrown: openid.WWWAuthenticateChallengeError) => thrown.status);
      expect(await get({ DPoP })).toMatchObject({ accounts: [{ id: 'acc_1' }] });
      expect(await get({})).toBe(401);
      const active = await openid.tokenIntrospection(config, bound.access_token);
      expect(active).toMatchObject({ active: true, token_type: 'DPoP', cnf: expect.anything() });
    });

    it('gets a bound token with client credentials, on every kind of key', async () => {
      const { ownerId, text } = await addClient(suite.app.inside.db, 'accounts:read');
      const config = await discover(ownerId, text, 'oidc');
      for (const alg of ['ES256', 'RS256', 'PS256', 'Ed25519'] as const) {
        const pair = await openid.randomDPoPKeyPair(alg);
        const options = alg === 'Ed25519' ? { [openid.modifyAssertion]: remapEd25519 } : {};
        const DPoP = openid.getDPoPHandle(config, pair, options);
        const granted = await openid.clientCredentialsGrant(
          config,
          { scope: 'accounts:read' },
          { DPoP },
        );
        expect(granted.token_type, alg).toBe('dpop');
      }
    });
  });
});

/** The name that the service knows (RFC 8037 §3.1). */
const remapEd25519: openid.ModifyAssertionFunction = (header) => {
  if (header.alg === 'Ed25519') header.alg = 'EdDSA';
};
