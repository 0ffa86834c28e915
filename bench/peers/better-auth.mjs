// better-auth with its plugins for JWTs, OAuth clients and API keys, on SQLite.
import { createServer } from 'node:http';
import { apiKey } from '@better-auth/api-key';
import { oauthProvider } from '@better-auth/oauth-provider';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { jwt } from 'better-auth/plugins';
import SQLite from '../sqlite.mjs';
import { listen, readSettings } from './settings.mjs';

const { port, scope, audience, file } = readSettings();
const baseURL = `http://127.0.0.1:${port}`;
const database = new SQLite(file);
database.pragma('journal_mode = WAL');
const scopes = scope.split(' ');
const auth = betterAuth({
  baseURL,
  database,
  secret: 'a-secret-that-only-the-bench-uses',
  emailAndPassword: { enabled: true },
  telemetry: { enabled: false },
  rateLimit: { enabled: false },
  plugins: [
    jwt({ jwks: { keyPairConfig: { alg: 'EdDSA', crv: 'Ed25519' } } }),
    oauthProvider({
      loginPage: '/login',
      consentPage: '/consent',
      scopes,
      resources: [audience],
      enforcePerClientResources: false,
      m2mAccessTokenExpiresIn: 300,
      clientPrivileges: () => true,
      silenceWarnings: { oauthAuthServerConfig: true },
    }),
    apiKey({ enableSessionForAPIKeys: true, rateLimit: { enabled: false } }),
  ],
});
const { runMigrations } = await getMigrations(auth.options);
await runMigrations();

const {
  headers,
  response: { user },
} = await auth.api.signUpEmail({
  body: { name: 'Bench', email: 'bench@example.com', password: 'a-password-of-the-bench' },
  returnHeaders: true,
});
const cookie = headers
  .getSetCookie()
  .map((text) => text.split(';')[0])
  .join('; ');
const client = await auth.api.adminCreateOAuthClient({
  headers: new Headers({ cookie }),
  body: {
    client_name: 'bench',
    grant_types: ['client_credentials'],
    token_endpoint_auth_method: 'client_secret_post',
    client_credentials_scopes: scopes,
  },
});
const { key } = await auth.api.createApiKey({ body: { userId: user.id } });

listen(createServer(toNodeHandler(auth)), port, {
  client: { id: client.client_id, secret: client.client_secret },
  key,
});
