// An app with two scripted providers, for attacks on the sign-in with the first one.
import type { JWTPayload } from 'jose';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  loopbackEgress,
  type Returned,
  registerProvider,
  SignInBrowser,
} from './company-sign-in.ts';
import { startTestApp, type TestApp } from './harness.ts';
import { casesOf, itHoldsFor, type Outcomes } from './rule.ts';
import { type ScriptedProvider, startScriptedProvider } from './scripted-provider.ts';
import { openTransports, type Transport } from './transports.ts';

export type Attempt = { readonly browser: SignInBrowser; readonly returned: Returned };

/** The attacks, by the problem that the service must name. */
export type Attacks = Outcomes<() => Promise<Attempt>>;

type Claims = Readonly<Record<string, unknown>>;

export function useAttackedProvider() {
  let started: { testApp: TestApp; transports: Transport[]; a: ScriptedProvider; idA: string };
  let other: ScriptedProvider;
  let otherId: string;
  let count = 0;
  const clock: { time: number | undefined } = { time: undefined };

  beforeAll(async () => {
    const now = () => clock.time ?? Date.now();
    const testApp = await startTestApp({ config: loopbackEgress, now });
    const transports = openTransports(testApp.app);
    const [a, b] = await Promise.all([startScriptedProvider(), startScriptedProvider()]);
    const place = { app: testApp.app, transport: () => transports[0] as Transport };
    started = { testApp, transports, a, idA: await registerProvider(place, a) };
    other = b;
    otherId = await registerProvider(place, b, { name: 'Other' });
  });
  afterAll(async () => {
    for (const transport of started.transports) transport.close();
    await Promise.all([started.a.close(), other.close(), started.testApp.remove()]);
  });

  const use = {
    clock,
    app: () => started.testApp.app,
    db: () => started.testApp.app.inside.db,
    place: () => ({ app: use.app(), transport: () => started.transports[0] as Transport }),
    /** The provider under attack, and the id with which it is registered. */
    provider: () => started.a,
    providerId: () => started.idA,
    other: () => other,
    otherId: () => otherId,
    browser: () => new SignInBrowser(use.app()),

    /** Before each attack: the throttle would refuse the later ones. */
    async begin() {
      started.a.reset();
      clock.time = undefined;
      await use.db().deleteFrom('throttle_counters').execute();
    },

    /** A new account with a verified address. */
    account(change: Claims = {}) {
      const sub = `subject-${count++}`;
      return { sub, email: `${sub}@example.com`, email_verified: true, name: 'Ann', ...change };
    },

    async attempt(claims: Claims): Promise<Attempt> {
      const browser = use.browser();
      return { browser, returned: await browser.signIn(started.a, started.idA, claims) };
    },

    withToken: (idToken: (claims: JWTPayload) => Promise<string> | string) => () => {
      started.a.script.idToken = idToken;
      return use.attempt(use.account());
    },

    /** Declares the test that no attack starts a session. */
    itRefuses(attacks: Attacks, least: number) {
      itHoldsFor(casesOf(attacks), least)('is refused', async (_name, problem, attack) => {
        await use.begin();
        const { browser, returned } = await attack();
        expect(returned.problem).toBe(problem);
        expect(returned.status).toBe(303);
        expect(returned.location.origin).toBe(use.app().publicUrl);
        expect(browser.session).toBeUndefined();
      });
    },
  };
  return use;
}
