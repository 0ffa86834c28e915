// oauth4webapi works with the metadata of the service alone.
import * as oauth from 'oauth4webapi';
import { expect } from 'vitest';
import { describeAppOnSqlite } from '../support/app-suite.ts';
import { addClientKey } from '../support/client-keys.ts';
import { addClient } from '../support/owner-rows.ts';
import { itHoldsFor, product } from '../support/rule.ts';

const options = { [oauth.allowInsecureRequests]: true } as const;
const scope = 'audit:read';

type Method = 'client_secret_post' | 'client_secret_basic' | 'private_key_jwt';
const methods: readonly Method[] = ['client_secret_post', 'client_secret_basic', 'private_key_jwt'];

describeAppOnSqlite('oauth4webapi', (suite) => {
  const authOf = async (method: Method, id: string, secret: string): Promise<oauth.ClientAuth> => {
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
      const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options });
      const server = await oauth.processDiscoveryResponse(issuer, discovered);
      expect(server.token_endpoint_auth_methods_supported).toContain(method);
      const { ownerId, text } = await addClient(db, scope);
      const client: oauth.Client = { client_id: ownerId };
      const auth = await authOf(method, ownerId, text);
      const DPoP = isBound ? oauth.DPoP(client, await oauth.generateKeyPair('ES256')) : undefined;
      const binding = { ...options, ...(DPoP === undefined ? {} : { DPoP }) };

      const ask = async () =>
        oauth.processClientCredentialsResponse(
          server,
          client,
          await oauth.clientCredentialsGrantRequest(server, client, auth, { scope }, binding),
        );
      const granted = await ask().catch((error) => {
        if (!oauth.isDPoPNonceError(error)) throw error;
        return ask();
      });
      const token = granted.access_token;
      expect(granted).toMatchObject({ token_type: isBound ? 'dpop' : 'bearer', scope });

      const url = new URL(`${issuer.origin}/audit-events`);
      const use = (given: typeof binding) =>
        oauth.protectedResourceRequest(token, 'GET', url, undefined, null, given);
      expect((await use(binding)).status).toBe(200);

      const introspect = async () =>
        oauth.processIntrospectionResponse(
          server,
          client,
          await oauth.introspectionRequest(server, client, auth, token, options),
        );
      expect(await introspect()).toMatchObject({
        ...{ active: true, client_id: ownerId, scope },
        ...(isBound ? { token_type: 'DPoP', cnf: { jkt: expect.any(String) } } : {}),
      });
      const revoked = await oauth.revocationRequest(server, client, auth, token, options);
      await oauth.processRevocationResponse(revoked);
      expect(await introspect()).toEqual({ active: false });
      await expect(use(binding)).rejects.toMatchObject({ status: 401 });
    },
  );
});
