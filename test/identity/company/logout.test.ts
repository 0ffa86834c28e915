// Logout tokens of an identity provider (OpenID Connect Back-Channel Logout 1.0).
import { generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { startAppPair } from '../../support/app-pair.ts';
import { useAttackedProvider } from '../../support/attacked-provider.ts';
import { withFailingAuditLog } from '../../support/audit-rows.ts';
import { loopbackEgress, registerProvider, SignInBrowser } from '../../support/company-sign-in.ts';
import { itHoldsFor } from '../../support/rule.ts';
import { defined } from '../../support/scripted-provider.ts';
import { openTransports, type Transport } from '../../support/transports.ts';
import { expectWithinOneSecond } from '../../support/within-one-second.ts';

const use = useAttackedProvider();
let count = 0;
const event = 'http://schemas.openid.net/event/backchannel-logout';

beforeEach(use.begin);

async function signedIn(sid?: string, sub = `subject-${count++}`) {
  const browser = use.browser();
  const claims = { sub, email: `${sub}@example.com`, email_verified: true, sid };
  const { problem } = await browser.signIn(use.provider(), use.providerId(), claims);
  expect(problem).toBe('');
  return { browser, sub };
}

const refresh = (origin: string, { session = '' }: SignInBrowser) =>
  fetch(`${origin}/sessions/refresh`, {
    method: 'POST',
    headers: { cookie: `latchkey_session=${session}`, 'content-type': 'application/json' },
    body: '{}',
  });

const isSignedIn = async (browser: SignInBrowser) =>
  (await refresh(use.app().publicUrl, browser)).status === 200;

const claimsOf = (change: Readonly<Record<string, unknown>>): JWTPayload =>
  defined({
    iss: use.provider().issuer,
    aud: use.provider().clientId,
    iat: Math.floor(Date.now() / 1000),
    exp: Math.floor(Date.now() / 1000) + 120,
    jti: `jti-${count++}`,
    events: { [event]: {} },
    ...change,
  });

function report(
  token: string,
  id = use.providerId(),
  origin: string = use.app().publicUrl,
): Promise<Response> {
  return fetch(`${origin}/sessions/oidc/${id}/logout`, {
    method: 'POST',
    body: new URLSearchParams({ logout_token: token }),
  });
}

const signed = (change: Readonly<Record<string, unknown>>, header = {}) =>
  use.provider().sign(claimsOf(change), header);

describe('a logout at an identity provider', () => {
  it('ends the sessions of the account that started with it', async () => {
    const { browser, sub } = await signedIn();
    const bystander = await signedIn();
    expect((await report(await signed({ sub }))).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await isSignedIn(bystander.browser)).toBe(true);
  });

  it('ends only the session with its sid', async () => {
    const { browser, sub } = await signedIn('one');
    const second = await signedIn('two', sub);
    expect((await report(await signed({ sid: 'one' }))).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(false);
    expect(await isSignedIn(second.browser)).toBe(true);
    expect((await report(await signed({ sid: 'two', sub }))).status).toBe(200);
    expect(await isSignedIn(second.browser)).toBe(false);
  });

  const attacks: readonly (readonly [string, (sub: string) => Promise<string> | string])[] = [
    ['nothing', () => ''],
    ['a text that is no token', () => 'token'],
    ['a nonce, like an ID token', (sub) => signed({ sub, nonce: 'n' })],
    ['another issuer', (sub) => signed({ sub, iss: use.other().issuer })],
    ['another audience', (sub) => signed({ sub, aud: 'other' })],
    ['the signature of another provider', (sub) => use.other().sign(claimsOf({ sub }))],
    ['no event', (sub) => signed({ sub, events: undefined })],
    ['another event', (sub) => signed({ sub, events: { 'https://other': {} } })],
    ['an event without an object', (sub) => signed({ sub, events: { [event]: true } })],
    ['an event in a list', (sub) => signed({ sub, events: [event] })],
    ['no jti', (sub) => signed({ sub, jti: undefined })],
    ['no iat', (sub) => signed({ sub, iat: undefined })],
    ['an old iat', (sub) => signed({ sub, iat: Math.floor(Date.now() / 1000) - 400 })],
    ['a past exp', (sub) => signed({ sub, exp: Math.floor(Date.now() / 1000) - 60 })],
    ['neither sub nor sid', () => signed({})],
    ['a sub that is a list', (sub) => signed({ sub: [sub] })],
    ['a sub that cannot be stored', (sub) => signed({ sub: `${sub}\0` })],
    ['a sid that cannot be stored', () => signed({ sid: 'a\0' })],
    ['a jti that cannot be a text', (sub) => signed({ sub, jti: { toString: 1 } })],
    ['a typ that cannot be a text', (sub) => signed({ sub }, { typ: { toString: 1 } })],
    ['the type of an access token', (sub) => signed({ sub }, { typ: 'at+jwt' })],
    ['no signature', (sub) => new UnsecuredJWT(claimsOf({ sub })).encode()],
    [
      'a signature with the client secret',
      (sub) =>
        new SignJWT(claimsOf({ sub }))
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode(use.provider().clientSecret)),
    ],
    [
      'a signature with an unknown key',
      async (sub) =>
        new SignJWT(claimsOf({ sub }))
          .setProtectedHeader({ alg: 'RS256', kid: 'one' })
          .sign((await generateKeyPair('RS256')).privateKey),
    ],
    ['a token of 20,000 characters', (sub) => signed({ sub, padding: 'x'.repeat(20_000) })],
  ];

  itHoldsFor(attacks, 20)('is refused with', async (_name, forge) => {
    const { browser, sub } = await signedIn();
    expect((await report(await forge(sub))).status).toBe(400);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it('is refused when it is replayed, or sent for another provider', async () => {
    const { sub } = await signedIn();
    const token = await signed({ sub });
    expect((await report(token, use.otherId())).status).toBe(400);
    expect((await report(token, 'idp_0000000000000000000000')).status).toBe(404);
    expect((await report(token)).status).toBe(200);
    const again = await signedIn(undefined, sub);
    expect((await report(token)).status).toBe(400);
    expect(await isSignedIn(again.browser)).toBe(true);
  });

  it('can be sent again after a failure of the database', async () => {
    const { browser, sub } = await signedIn();
    const token = await signed({ sub });
    const failed = await withFailingAuditLog(use.db(), 'sqlite', () => report(token));
    expect([failed.status, await isSignedIn(browser)]).toEqual([500, true]);
    expect([(await report(token)).status, await isSignedIn(browser)]).toEqual([200, false]);
    expect((await report(token)).status).toBe(400);
  });

  it('ends the sessions once if a token is sent many times at once', async () => {
    const { sub } = await signedIn();
    const token = await signed({ sub });
    const answers = await Promise.all(Array.from({ length: 10 }, () => report(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('answers 200 for an account that never signed in', async () => {
    expect((await report(await signed({ sub: 'stranger' }))).status).toBe(200);
  });
});

describe('a logout that one of two nodes receives', () => {
  it('ends the session and its access tokens on the other node within a second', async () => {
    const pair = await startAppPair('postgres', loopbackEgress);
    const [{ app }] = pair.apps;
    const [http, ...others] = openTransports(app);
    try {
      const id = await registerProvider(
        { app, transport: () => http as Transport },
        use.provider(),
      );
      for (const [receiver, other] of [pair.origins, pair.origins.toReversed()] as const) {
        pair.clock.now = Date.now();
        const browser = new SignInBrowser(app);
        const sub = `subject-${count++}`;
        const claims = { sub, email: `${sub}@example.com`, email_verified: true };
        await browser.signIn(use.provider(), id, claims);
        const session = await refresh(receiver, browser);
        const { access_token: token } = (await session.json()) as { access_token: string };
        const headers = { authorization: `Bearer ${token}` };
        const statusesAt = async (origin: string) => [
          (await fetch(`${origin}/sessions`, { headers })).status,
          (await refresh(origin, browser)).status,
        ];
        // Both nodes now have the session in their caches.
        expect(await statusesAt(receiver)).toEqual([200, 200]);
        expect(await statusesAt(other)).toEqual([200, 200]);

        expect((await report(await signed({ sub }), id, receiver)).status).toBe(200);

        const { db } = app.inside;
        await expectWithinOneSecond(db, () => statusesAt(other), [401, 401]);
        expect(await statusesAt(receiver)).toEqual([401, 401]);
      }
    } finally {
      for (const transport of [http, ...others]) transport?.close();
      await pair.remove();
    }
  });
});
