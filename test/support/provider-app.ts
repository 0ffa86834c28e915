// An app and a scripted identity provider for the tests of a suite.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import {
  everyScope,
  loopbackEgress,
  type ProviderFields,
  type Registered,
  registerProvider,
  SignInBrowser,
} from './company-sign-in.ts';
import { startTestApp, type TestApp } from './harness.ts';
import { managerCredential } from './manager-calls.ts';
import type { Dialect } from './matrix.ts';
import { removeProviders } from './provider-rows.ts';
import { type ScriptedProvider, startScriptedProvider } from './scripted-provider.ts';
import { openTransports, type Transport } from './transports.ts';

type Started = {
  readonly testApp: TestApp;
  readonly transports: Transport[];
  readonly provider: ScriptedProvider;
  /** The credential of a caller who holds every scope. */
  readonly manager: { readonly authorization: string };
};

/** Each test starts without registered providers. */
export function useProviderApp(dialect: Dialect) {
  let started: Started;

  beforeAll(async () => {
    const testApp = await startTestApp({ dialect, config: loopbackEgress });
    const provider = await startScriptedProvider();
    const manager = await managerCredential(testApp.app, everyScope);
    started = { testApp, transports: openTransports(testApp.app), provider, manager };
  });
  afterAll(async () => {
    const { testApp, transports, provider } = started;
    for (const transport of transports) transport.close();
    await Promise.all([provider.close(), testApp.remove()]);
  });
  beforeEach(async () => {
    started.provider.reset();
    await removeProviders(started.testApp.app.inside.db);
  });

  let count = 0;
  const shared = {
    get testApp() {
      return started.testApp;
    },
    get provider() {
      return started.provider;
    },
    get manager() {
      return started.manager;
    },
    http: () => started.transports[0] as Transport,
    db: () => started.testApp.app.inside.db,
    browser: () => new SignInBrowser(started.testApp.app),
    /** Registers a provider, by default the scripted one, and returns its id. */
    register(fields: ProviderFields = {}, provider: Registered = started.provider) {
      const place = { app: started.testApp.app, transport: shared.http };
      return registerProvider(place, provider, fields);
    },
    /** A new account with a verified address. */
    account(change: Readonly<Record<string, unknown>> = {}) {
      const sub = `subject-${count++}`;
      return { sub, email: `${sub}@example.com`, email_verified: true, name: 'Ann', ...change };
    },
    /** Refreshes the session of the browser. */
    refresh({ session = '' }: SignInBrowser) {
      const cookie = `latchkey_session=${session}`;
      return shared.http().call(SessionService.method.refreshSession, {}, { cookie });
    },
  };
  return shared;
}
