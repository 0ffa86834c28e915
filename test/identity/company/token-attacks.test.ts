// Account takeover with forged or borrowed tokens: each attack is refused.
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { describe } from 'vitest';
import { type Attacks, useAttackedProvider } from '../../support/attacked-provider.ts';
import { registerProvider } from '../../support/company-sign-in.ts';
import { startScriptedProvider } from '../../support/scripted-provider.ts';

const use = useAttackedProvider();

const far = { exp: Math.floor(Date.now() / 1000) + 300 };

const attacks: Attacks = {
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
  use.itRefuses(attacks, 15);
});
