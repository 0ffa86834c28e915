// oidc-provider with its in-memory adapter. Clients come from its configuration.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';
import { listen, readSettings } from './settings.mjs';

const { port, client, scope, audience } = readSettings();
const { privateKey } = generateKeyPairSync('ed25519');
const key = {
  ...privateKey.export({ format: 'jwk' }),
  kid: randomUUID(),
  alg: 'EdDSA',
  use: 'sig',
};
const provider = new Provider(`http://127.0.0.1:${port}`, {
  jwks: { keys: [key] },
  clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
  scopes: scope.split(' '),
  clients: [
    {
      client_id: client.id,
      client_secret: client.secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => audience,
      getResourceServerInfo: () => ({
        scope,
        audience,
        accessTokenTTL: 300,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'EdDSA' } },
      }),
    },
  },
});

listen(createServer(provider.callback()), port, {});
