// Other people's OAuth clients get tokens, and understand our errors.
import { decodeJwt } from 'jose';
import * as openid from 'openid-client';
import { ClientCredentials } from 'simple-oauth2';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeAppOnSqlite } from '../support/app-suite.ts';
import { unknownCredential } from '../support/invalid-credentials.ts';
import { type Added, addClient } from '../support/owner-rows.ts';

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

describeAppOnSqlite('an OAuth client', (suite) => {
  let added: Added;
  let client: Client;
  beforeAll(async () => {
    added = await addClient(suite.app.inside.db, 'accounts:read payments:write');
    client = { id: added.ownerId, secret: added.text };
  });

  describe.each(libraries)('(%s)', (_, ask, told) => {
    const error = (thrower: Promise<unknown>) =>
      thrower.then(
        () => 'a token was issued',
        (thrown: unknown) => told(thrown),
      );

    it('gets a token', async () => {
      const granted = await ask(suite.app.publicUrl, client, 'accounts:read payments:write');

      expect(granted).toMatchObject({ scope: 'accounts:read payments:write' });
      expect(granted.expiresIn).toBe(300);
      expect(decodeJwt(granted.accessToken).sub).toBe(client.id);
    });

    it('understands that its secret is wrong', async () => {
      const wrong = { ...client, secret: unknownCredential('cs') };

      expect(await error(ask(suite.app.publicUrl, wrong, 'accounts:read'))).toEqual({
        error: 'invalid_client',
        description: 'The client id or the secret is wrong.',
        status: 401,
      });
    });

    it('understands that a scope is not granted', async () => {
      expect(await error(ask(suite.app.publicUrl, client, 'clients:write'))).toEqual({
        error: 'invalid_scope',
        description: 'The scope clients:write is not granted.',
        status: 400,
      });
    });
  });
});
