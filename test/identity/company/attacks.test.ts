// Account takeover by a sign-in with an identity provider: each attack is refused.
import { describe, expect } from 'vitest';
import { IdentityProviderService } from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { type Attack, useAttackedProvider } from '../../support/attacked-provider.ts';
import { everyScope } from '../../support/company-sign-in.ts';
import { managerCredential } from '../../support/manager-calls.ts';
import { changeAsOtherProcess } from '../../support/owner-rows.ts';
import { itHoldsFor } from '../../support/rule.ts';
import { addUser } from '../../support/user-rows.ts';

const { updateIdentityProvider } = IdentityProviderService.method;

const use = useAttackedProvider();

/** Starts a sign-in and returns the honest parameters of the callback. */
async function started(query: Readonly<Record<string, string>> = {}) {
  const browser = use.browser();
  const { location } = await browser.start(use.providerId(), query);
  const { state = '', nonce = '' } = Object.fromEntries(location.searchParams);
  use.provider().script.claims = { nonce, ...use.account() };
  return { browser, state, nonce, honest: { code: 'code', state, iss: use.provider().issuer } };
}

/** Changes the provider between the start and the return. */
async function changeProvider(change: { readonly enabled: boolean }) {
  const manager = await managerCredential(use.app(), everyScope);
  await use
    .place()
    .transport()
    .call(updateIdentityProvider, { providerId: use.providerId(), ...change }, manager);
}

const attacks: readonly Attack[] = [
  [
    'the code comes from another provider',
    'response_invalid',
    async () => {
      const { browser, honest } = await started();
      return { browser, returned: await browser.callback({ ...honest, iss: use.other().issuer }) };
    },
  ],
  [
    'the issuer of the code is left out',
    'response_invalid',
    async () => {
      const { browser, state } = await started();
      return { browser, returned: await browser.callback({ code: 'code', state }) };
    },
  ],
  [
    'the callback is replayed',
    'expired',
    async () => {
      const { browser, honest } = await started();
      const cookies = new Map(browser.cookies);
      expect((await browser.callback(honest)).problem).toBe('');
      const thief = use.browser();
      thief.returnPath = browser.returnPath;
      for (const [name, value] of cookies) thief.cookies.set(name, value);
      return { browser: thief, returned: await thief.callback(honest) };
    },
  ],
  [
    'the state is that of another sign-in',
    'response_invalid',
    async () => {
      const other = await started();
      const { browser, honest } = await started();
      return { browser, returned: await browser.callback({ ...honest, state: other.state }) };
    },
  ],
  [
    'the state is missing',
    'response_invalid',
    async () => {
      const { browser } = await started();
      return {
        browser,
        returned: await browser.callback({ code: 'code', iss: use.provider().issuer }),
      };
    },
  ],
  [
    'the state is given twice',
    'response_invalid',
    async () => {
      const { browser, honest } = await started();
      const query = new URLSearchParams(honest);
      query.append('state', 'another');
      return { browser, returned: await browser.callback(query) };
    },
  ],
  [
    'the cookie is missing',
    'expired',
    async () => {
      const { honest } = await started();
      const victim = use.browser();
      return { browser: victim, returned: await victim.callback(honest) };
    },
  ],
  [
    "the cookie is the victim's own",
    'response_invalid',
    async () => {
      const { honest } = await started();
      const victim = (await started()).browser;
      return { browser: victim, returned: await victim.callback(honest) };
    },
  ],
  [
    'the cookie is changed',
    'expired',
    async () => {
      const { browser, honest } = await started();
      const value = browser.cookies.get('latchkey_oidc') ?? '';
      browser.cookies.set('latchkey_oidc', `${value.slice(0, -2)}AA`);
      return { browser, returned: await browser.callback(honest) };
    },
  ],
  [
    'the sign-in started eleven minutes ago',
    'expired',
    async () => {
      const { browser, honest } = await started();
      use.clock.time = Date.now() + 11 * 60_000;
      const returned = await browser.callback(honest);
      use.clock.time = undefined;
      return { browser, returned };
    },
  ],
  [
    'the address is not verified',
    'address_not_verified',
    () => use.attempt(use.account({ email_verified: false })),
  ],
  [
    'the provider says nothing about the address',
    'address_not_verified',
    () => use.attempt(use.account({ email_verified: undefined })),
  ],
  [
    'the verification is a text',
    'address_not_verified',
    () => use.attempt(use.account({ email_verified: 'false' })),
  ],
  [
    'the verification comes from another place than the address',
    'address_not_verified',
    async () => {
      use.provider().script.userInfo = { email_verified: true };
      return use.attempt(use.account({ email_verified: undefined, groups: ['g'] }));
    },
  ],
  ...(
    [
      ['another domain', 'ann@example.org'],
      ['a subdomain', 'ann@sub.example.com'],
      ['a longer domain', 'ann@example.com.evil.example'],
      ['a domain that ends alike', 'ann@evil-example.com'],
      ['a domain with a Cyrillic letter', 'ann@ex\u0430mple.com'],
    ] as const
  ).map(
    ([what, email]) =>
      [
        `the address has ${what}`,
        'domain_not_allowed',
        () => use.attempt(use.account({ email })),
      ] as const,
  ),
  ...(
    [
      ['two domains', 'ann@example.com@evil.example'],
      ['a comment', 'ann@example.com(@evil.example)'],
      ['a line break', 'ann@example.com\nBcc: eve@evil.example'],
      ['an encoded word', '=?utf-8?q?ann=40example.com?=@example.com'],
    ] as const
  ).map(
    ([what, email]) =>
      [
        `the address has ${what}`,
        'address_not_verified',
        () => use.attempt(use.account({ email })),
      ] as const,
  ),
  [
    'the address is a list',
    'address_not_verified',
    () => use.attempt(use.account({ email: ['ann@example.com'] })),
  ],
  [
    'another account has the address of a linked user',
    'other_account',
    async () => {
      const own = use.account();
      expect((await use.attempt(own)).returned.problem).toBe('');
      return use.attempt({ ...own, sub: 'another subject' });
    },
  ],
  [
    'the user is disabled',
    'user_disabled',
    async () => {
      const user = await addUser(use.db(), { disabled: true });
      return use.attempt(use.account({ email: user.email }));
    },
  ],
  [
    'the linked user is disabled',
    'user_disabled',
    async () => {
      const own = use.account();
      await use.attempt(own);
      await changeAsOtherProcess(use.db(), (trx) =>
        trx.updateTable('users').set({ disable_time: 1 }).where('email', '=', own.email).execute(),
      );
      return use.attempt(own);
    },
  ],
  [
    'the provider reports an error',
    'provider_refused',
    async () => {
      const { browser, state } = await started();
      const query = { error: 'access_denied', state, iss: use.provider().issuer };
      return { browser, returned: await browser.callback(query) };
    },
  ],
  [
    'the provider was disabled after the start',
    'provider_disabled',
    async () => {
      const { browser, honest } = await started();
      await changeProvider({ enabled: false });
      const returned = await browser.callback(honest);
      await changeProvider({ enabled: true });
      return { browser, returned };
    },
  ],
  [
    'the provider is disabled while it answers',
    'provider_disabled',
    async () => {
      use.provider().script.idToken = async (claims) => {
        await changeProvider({ enabled: false });
        return use.provider().sign(claims);
      };
      const outcome = await use.attempt(use.account());
      await changeProvider({ enabled: true });
      return outcome;
    },
  ],
  [
    'the provider does not exist',
    'provider_disabled',
    async () => {
      const browser = use.browser();
      return { browser, returned: await browser.start('idp_0000000000000000000000') };
    },
  ],
];

describe('a sign-in with an identity provider', () => {
  use.itRefuses(attacks, 25);

  const paths = [
    ...['https://evil.example/', '//evil.example', '/\\evil.example', '/console/..//evil.example'],
    ...['/console\\..\\evil', '/s/secret', '/console/../s/x', 'console', 'javascript:alert(1)', ''],
    ...['/console@evil.example', '/console.evil.example/', `/console/${'x'.repeat(400)}`],
    ...['/console/\t/evil', '/console/%0d%0aset-cookie:a=b\r\n'],
  ];
  itHoldsFor(paths, 14)('leads only to the console afterwards', async (next) => {
    await use.begin();
    const browser = use.browser();
    const { location, problem } = await browser.signIn(
      use.provider(),
      use.providerId(),
      use.account(),
      { next },
    );
    expect(problem).toBe('');
    expect(location.origin).toBe(use.app().publicUrl);
    expect(location.pathname).toBe('/console/signed-in');
    expect(location.searchParams.get('next')).toBe('/console/');
  });
});
