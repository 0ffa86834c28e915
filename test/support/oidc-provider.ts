// oidc-provider as an issuer of tokens for workloads, whose claims a test chooses.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JWTPayload } from 'jose';
import OidcProvider from 'oidc-provider';

type MakeClaims = (iss: string, aud: string) => JWTPayload;

export async function startOidcProvider(audience: string, makeClaims: MakeClaims) {
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new OidcProvider(url, {
    clients: [
      {
        ...{ client_id: 'runner', client_secret: 'runner-secret', redirect_uris: [] },
        ...{ grant_types: ['client_credentials'], response_types: [] },
      },
    ],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        getResourceServerInfo: () => ({
          ...{ scope: '', audience, accessTokenTTL: 300, accessTokenFormat: 'jwt' },
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    formats: {
      customizers: {
        jwt(_context, _token, { payload }) {
          const { iat, exp } = payload;
          Object.assign(payload, makeClaims(url, audience), { iat, exp });
        },
      },
    },
  });
  const handle = provider.callback();
  return {
    url,
    async token() {
      const response = await fetch(`${url}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('runner:runner-secret')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience }),
      });
      const { access_token: token } = (await response.json()) as { access_token: string };
      return token;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
