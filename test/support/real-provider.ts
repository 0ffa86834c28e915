// A real OpenID provider on a loopback port: the npm package oidc-provider. Its pages accept any
// password.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import type { Page } from 'playwright-core';

export type RealProvider = {
  readonly issuer: string;
  /** The groups of the accounts, by their names. */
  readonly groups: Record<string, string[]>;
  /** Registers Latchkey. */
  start(client: { readonly redirectUri: string; readonly logoutUri: string }): void;
  close(): Promise<void>;
};

export const realClient = {
  clientId: 'latchkey',
  clientSecret: 'a secret of 32 characters or more',
};

export async function startRealProvider(): Promise<RealProvider> {
  const groups: Record<string, string[]> = {};
  let handle: ReturnType<Provider['callback']> | undefined;
  const server = createServer((request, response) => void handle?.(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    groups,
    start({ redirectUri, logoutUri }) {
      const provider = new Provider(issuer, {
        clients: [
          {
            client_id: realClient.clientId,
            client_secret: realClient.clientSecret,
            redirect_uris: [redirectUri],
            backchannel_logout_uri: logoutUri,
            backchannel_logout_session_required: true,
          },
        ],
        features: { backchannelLogout: { enabled: true }, devInteractions: { enabled: true } },
        scopes: ['openid', 'email', 'profile'],
        claims: { email: ['email', 'email_verified'], profile: ['name', 'groups'] },
        // The default refuses loopback addresses.
        fetch: (url, { dispatcher: _, ...request }) => fetch(url, request),
        cookies: { keys: ['a key for the cookies of the provider'] },
        findAccount: (_context, id) => ({
          accountId: id,
          claims: () => ({
            sub: id,
            email: `${id}@example.com`,
            email_verified: true,
            name: `${id} of Acme`,
            groups: groups[id] ?? [],
          }),
        }),
      });
      handle = provider.callback();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Signs in at the pages of the provider, and agrees to share the account. */
export async function signInAtProvider(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any password');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}
