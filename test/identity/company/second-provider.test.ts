// Sign-in with the OpenID provider of the npm package oauth2-mock-server, which shares no code with
// oidc-provider: it sends no `iss` with the code, offers no client authentication, and returns the
// claims of an account only from its UserInfo endpoint.
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import { type MutableResponse, type MutableToken, OAuth2Server } from 'oauth2-mock-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MappedRole } from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import type { ProviderFields, SignInBrowser } from '../../support/company-sign-in.ts';
import { messageOf } from '../../support/manager-calls.ts';
import { useProviderApp } from '../../support/provider-app.ts';

describe('a sign-in with a second OpenID provider', () => {
  const shared = useProviderApp('sqlite');
  const provider = new OAuth2Server();
  let sub = 'john';
  let groups: readonly string[] = [];
  let authTime: number | undefined;

  beforeAll(async () => {
    await provider.issuer.keys.generate('RS256');
    await provider.start(0, '127.0.0.1');
    const { port } = provider.address() as AddressInfo;
    provider.issuer.url = `http://127.0.0.1:${port}`;
    provider.service.on('beforeTokenSigning', ({ payload }: MutableToken) => {
      payload.sub = sub;
      if (authTime !== undefined) payload.auth_time = authTime;
    });
    provider.service.on('beforeUserinfo', (response: MutableResponse) => {
      const email = `${sub}@example.com`;
      response.body = { sub, email, email_verified: true, name: 'John Doe', groups };
    });
  });
  beforeEach(() => {
    [sub, groups, authTime] = ['john', [], undefined];
  });
  afterAll(() => provider.stop());

  const register = (fields: ProviderFields = {}) => {
    const issuer = provider.issuer.url ?? '';
    const client = { issuer, clientId: 'latchkey', clientSecret: 'a secret of the client' };
    return shared.register(fields, client);
  };

  /** Follows the redirects of a sign-in. */
  async function signIn(browser: SignInBrowser, id: string, query = {}) {
    const { location } = await browser.start(id, query);
    const { headers } = await fetch(location, { redirect: 'manual' });
    const returned = new URL(headers.get('location') ?? '');
    expect(returned.pathname).toBe(browser.returnPath);
    return { asked: location.searchParams, ...(await browser.callback(returned.searchParams)) };
  }

  const sessionOf = async (browser: SignInBrowser) => messageOf(await shared.refresh(browser));

  it('creates a user from its UserInfo, and finds the user again', async () => {
    const id = await register();
    const [first, second] = [shared.browser(), shared.browser()];
    expect(await signIn(first, id)).toMatchObject({ problem: '', status: 303 });
    const { user } = await sessionOf(first);
    expect(user).toMatchObject({ email: 'john@example.com', name: 'John Doe', kind: 'member' });
    await signIn(second, id);
    expect((await sessionOf(second)).user?.id).toBe(user?.id);
  });

  it('gives the role of the groups, and takes it away', async () => {
    const workspaceId = shared.testApp.env.WORKSPACE_ID;
    const mapping = { group: 'readers', workspaceId, role: MappedRole.MEMBER };
    const id = await register({ roleMappings: [mapping] });
    const browser = shared.browser();
    const membersNow = async () => {
      const request = { workspaceId, query: 'mary@example.com' };
      const { listMembers } = WorkspaceService.method;
      return messageOf(await shared.http().call(listMembers, request, shared.manager)).members;
    };
    sub = 'mary';
    groups = ['readers'];
    await signIn(browser, id);
    expect(await membersNow()).toHaveLength(1);
    groups = [];
    await signIn(browser, id);
    expect(await membersNow()).toEqual([]);
  });

  it('confirms a sensitive action only with a recent time of the sign-in', async () => {
    const id = await register();
    const browser = shared.browser();
    await signIn(browser, id);
    const sessionTime = async () => decodeJwt((await sessionOf(browser)).accessToken).auth_time;
    expect(await sessionTime()).toBe(0);
    expect((await signIn(browser, id, { step_up: 'true' })).problem).toBe('not_recent');
    authTime = Math.floor(Date.now() / 1000);
    const { asked, problem } = await signIn(browser, id, { step_up: 'true' });
    expect([asked.get('max_age'), problem]).toEqual(['60', '']);
    expect(await sessionTime()).toBe(authTime);
  });
});
