// An app and a scripted identity provider for the tests of a suite.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { everyScope, loopbackEgress } from './company-sign-in.ts';
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

  return {
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
  };
}
