// Account takeover by a sign-in with an identity provider, also with forged or borrowed tokens:
// each attack is refused.

import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { IdentityProviderService } from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { type Attacks, useAttackedProvider } from '../../support/attacked-provider.ts';
import { everyScope, registerProvider } from '../../support/company-sign-in.ts';
import { managerCredential } from '../../support/manager-calls.ts';
import { changeAsOtherProcess } from '../../support/owner-rows.ts';
import { itHoldsFor } from '../../support/rule.ts';
import { startScriptedProvider } from '../../support/scripted-provider.ts';
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

const withEmail = (email: unknown) => () => use.attempt(use.account({ email }));

const attacks: Attacks = {
  response_invalid: {
    'the code comes from another provider': async () => {
      const { browser, honest } = await started();
      return { browser, returned: await browser.callback({ ...honest, iss: use.other().issuer }) };
    },
    'the issuer of the code is left out': async () => {
      const { browser, state } = await started();
      return { browser, returned: await browser.callback({ code: 'code', state }) };
    },
    'the state is that of another sign-in': async () => {
      const other = await started();
      const { browser, honest } = await started();
      return { browser, returned: await browser.callback({ ...honest, state: other.state }) };
    },
    'the state is missing': async () => {
      const { browser } = await started();
      return {
        browser,
        returned: await browser.callback({ code: 'code', iss: use.provider().issuer }),
      };
    },
    'the state is given twice': async () => {
      const { browser, honest } = await started();
      const query = new URLSearchParams(honest);
      query.append('state', 'another');
      return { browser, returned: await browser.callback(query) };
    },
    "the cookie is the victim's own": async () => {
      const { honest } = await started();
      const victim = (await started()).browser;
      return { browser: victim, returned: await victim.callback(honest) };
    },
  },
  expired: {
    'the callback is replayed': async () => {
      const { browser, honest } = await started();
      const cookies = new Map(browser.cookies);
      expect((await browser.callback(honest)).problem).toBe('');
      const thief = use.browser();
      thief.returnPath = browser.returnPath;
      for (const [name, value] of cookies) thief.cookies.set(name, value);
      return { browser: thief, returned: await thief.callback(honest) };
    },
    'the cookie is missing': async () => {
      const { honest } = await started();
      const victim = use.browser();
      return { browser: victim, returned: await victim.callback(honest) };
    },
    'the cookie is changed': async () => {
      const { browser, honest } = await started();
      const value = browser.cookies.get('latchkey_oidc') ?? '';
      browser.cookies.set('latchkey_oidc', `${value.slice(0, -2)}AA`);
      return { browser, returned: await browser.callback(honest) };
    },
    'the sign-in started eleven minutes ago': async () => {
      const { browser, honest } = await started();
      use.clock.time = Date.now() + 11 * 60_000;
      const returned = await browser.callback(honest);
      use.clock.time = undefined;
      return { browser, returned };
    },
  },
  address_not_verified: {
    'the address is not verified': () => use.attempt(use.account({ email_verified: false })),
    'the provider says nothing about the address': () =>
      use.attempt(use.account({ email_verified: undefined })),
    'the verification is a text': () => use.attempt(use.account({ email_verified: 'false' })),
    'the verification comes from another place than the address': async () => {
      use.provider().script.userInfo = { email_verified: true };
      return use.attempt(use.account({ email_verified: undefined, groups: ['g'] }));
    },
    'the address has two domains': withEmail('ann@example.com@evil.example'),
    'the address has a comment': withEmail('ann@example.com(@evil.example)'),
    'the address has a line break': withEmail('ann@example.com\nBcc: eve@evil.example'),
    'the address has an encoded word': withEmail('=?utf-8?q?ann=40example.com?=@example.com'),
    'the address is a list': withEmail(['ann@example.com']),
    // Its lower case is the letter k.
    'the address has a Kelvin sign': withEmail('mar\u212a@example.com'),
  },
  domain_not_allowed: {
    'the address has another domain': withEmail('ann@example.org'),
    'the address has a subdomain': withEmail('ann@sub.example.com'),
    'the address has a longer domain': withEmail('ann@example.com.evil.example'),
    'the address has a domain that ends alike': withEmail('ann@evil-example.com'),
    'the address has a domain with a Cyrillic letter': withEmail('ann@ex\u0430mple.com'),
  },
  other_account: {
    'another account has the address of a linked user': async () => {
      const own = use.account();
      expect((await use.attempt(own)).returned.problem).toBe('');
      return use.attempt({ ...own, sub: 'another subject' });
    },
  },
  user_disabled: {
    'the user is disabled': async () => {
      const user = await addUser(use.db(), { disabled: true });
      return use.attempt(use.account({ email: user.email }));
    },
    'the linked user is disabled': async () => {
      const own = use.account();
      await use.attempt(own);
      await changeAsOtherProcess(use.db(), (trx) =>
        trx.updateTable('users').set({ disable_time: 1 }).where('email', '=', own.email).execute(),
      );
      return use.attempt(own);
    },
  },
  provider_refused: {
    'the provider reports an error': async () => {
      const { browser, state } = await started();
      const query = { error: 'access_denied', state, iss: use.provider().issuer };
      return { browser, returned: await browser.callback(query) };
    },
  },
  provider_disabled: {
    'the provider was disabled after the start': async () => {
      const { browser, honest } = await started();
      await changeProvider({ enabled: false });
      const returned = await browser.callback(honest);
      await changeProvider({ enabled: true });
      return { browser, returned };
    },
    'the provider is disabled while it answers': async () => {
      use.provider().script.idToken = async (claims) => {
        await changeProvider({ enabled: false });
        return use.provider().sign(claims);
      };
      const outcome = await use.attempt(use.account());
      await changeProvider({ enabled: true });
      return outcome;
    },
    'the provider does not exist': async () => {
      const browser = use.browser();
      return { browser, returned: await browser.start('idp_0000000000000000000000') };
    },
  },
};

describe('a sign-in with an identity provider', () => {
  use.itRefuses(attacks, 25);

  const paths = [
    ...['https://evil.example/', '//evil.example', '/\\evil.example', '/console/..//evil.example'],
    ...['/console\\..\\evil', '/s/secret', '/console/../s/x', 'console', 'javascript:alert(1)', ''],
    ...['/console@evil.example', '/console.evil.example/', `/console/${'x'.repeat(400)}`],
    ...['/console/\t/evil', '/console/%0d%0aset-cookie:a=b\r\n'],
    // The URL encodes each of these characters as three.
    `/console/${'"'.repeat(390)}`,
  ];
  itHoldsFor(paths, 15)('leads only to the console afterwards', async (next) => {
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

const far = { exp: Math.floor(Date.now() / 1000) + 300 };

const tokenAttacks: Attacks = {
  response_invalid: {
    'the ID token comes from another provider': () =>
      use.withToken((claims) => use.other().sign({ ...claims, iss: use.other().issuer }))(),
    'another provider signs for this one': () =>
      use.withToken((claims) => use.other().sign(claims))(),
    'the nonce is wrong': () => use.attempt(use.account({ nonce: 'another' })),
    'the nonce is missing': () => use.attempt(use.account({ nonce: undefined })),
    'the token is for another client': () => use.attempt(use.account({ aud: 'another-client' })),
    'the token is for another client as well': () =>
      use.attempt(use.account({ aud: ['latchkey', 'other'], azp: 'other' })),
    'the token was issued to another client': () => use.attempt(use.account({ azp: 'other' })),
    'the token has no signature': use.withToken((claims) => new UnsecuredJWT(claims).encode()),
    'the token is signed with the client secret': use.withToken((claims) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode(use.provider().clientSecret)),
    ),
    'the token is signed with an unknown key': use.withToken(async (claims) => {
      const { privateKey } = await generateKeyPair('RS256');
      return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey);
    }),
    'the payload was changed after the signature': use.withToken(async (claims) => {
      const [header, , signature] = (await use.provider().sign(claims)).split('.');
      const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'eve' })).toString('base64url');
      return `${header}.${changed}.${signature}`;
    }),
    'the token has expired': () =>
      use.attempt(use.account({ exp: Math.floor(Date.now() / 1000) - 60 })),
    'the token never expires': () => use.attempt(use.account({ exp: undefined })),
    'the subject is missing': () => use.attempt(use.account({ sub: undefined })),
    'the subject is a number': () => use.attempt(use.account({ sub: 1, ...far })),
    'the subject is too long': () => use.attempt(use.account({ sub: 'x'.repeat(256) })),
    'the UserInfo response is about another subject': async () => {
      use.provider().script.userInfo = use.account({ sub: 'another' });
      return use.attempt({ sub: use.account().sub });
    },
    'the metadata accept unsigned tokens': async () => {
      const hostile = await startScriptedProvider();
      hostile.script.metadata = { id_token_signing_alg_values_supported: ['none', 'HS256'] };
      hostile.script.idToken = (claims) => new UnsecuredJWT(claims).encode();
      const id = await registerProvider(use.place(), hostile, { name: 'Hostile 2' });
      const browser = use.browser();
      const returned = await browser.signIn(hostile, id, use.account());
      await hostile.close();
      return { browser, returned };
    },
  },
};

describe('an ID token', () => {
  use.itRefuses(tokenAttacks, 15);
});

// RFC 9700 §4.4
it('never gives the code of one provider to another', async () => {
  await use.begin();
  const [honest, evil] = await Promise.all([startScriptedProvider(), startScriptedProvider()]);
  onTestFinished(async () => void (await Promise.all([honest.close(), evil.close()])));
  // Neither of them sends `iss`.
  const metadata = { authorization_response_iss_parameter_supported: undefined };
  Object.assign(honest.script, { metadata });
  Object.assign(evil.script, { metadata });
  const honestId = await registerProvider(use.place(), honest, { name: 'Honest' });
  const evilId = await registerProvider(use.place(), evil, { name: 'Evil' });
  const accomplice = use.browser();
  await accomplice.start(honestId);
  const victim = use.browser();
  const { location } = await victim.start(evilId);
  // The evil provider leads the browser on to the honest one, with this state.
  victim.returnPath = accomplice.returnPath;
  const state = location.searchParams.get('state') ?? '';
  expect((await victim.callback({ code: 'code', state })).problem).toBe('response_invalid');
  expect(evil.requests.map(({ path }) => path)).not.toContain('/token');
});
