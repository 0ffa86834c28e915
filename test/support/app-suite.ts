// A test suite whose tests share one app, its three transports and its clock.
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import type { Config } from '../../src/base/config/config.ts';
import type { App } from '../../src/boot/app.ts';
import { startTestApp, type TestApp, type TestAppOptions } from './harness.ts';
import { type Dialect, describeFeature, type TransportName } from './matrix.ts';
import { type Credential, openTransports, type Transport } from './transports.ts';

/** Follows the system clock until a test sets it. */
class TestClock {
  /** Milliseconds since 1970; undefined means the system clock. */
  frozen: number | undefined;
  readonly now = (): number => this.frozen ?? Date.now();
  readonly reset = (): void => {
    this.frozen = undefined;
  };
}

export type Suite = {
  readonly name: string;
  readonly dialect: Dialect;
  readonly clock: TestClock;
  readonly testApp: TestApp;
  readonly app: App;
  transport(name: TransportName): Transport;
  /** Calls with this credential, or that of the function, unless a call has another one. */
  callsThrough(
    name: TransportName,
    credential?: Credential | (() => Credential | Promise<Credential>),
  ): Transport['call'];
};

/** A running app with its transports. */
export type Place = Pick<Suite, 'testApp' | 'app' | 'transport'>;

/** Starts an app of one test, which ends it. */
export async function startPlace(options?: TestAppOptions) {
  const testApp = await startTestApp(options);
  const transports = openTransports(testApp.app);
  onTestFinished(async () => {
    for (const transport of transports) transport.close();
    await testApp.remove();
  });
  const transport: Place['transport'] = (wanted) => transportIn(transports, wanted);
  return { testApp, app: testApp.app, db: testApp.app.inside.db, transports, transport };
}

function transportIn(transports: readonly Transport[], wanted: TransportName): Transport {
  const transport = transports.find(({ name }) => name === wanted);
  if (transport === undefined) throw new Error(`unknown transport ${wanted}`);
  return transport;
}

/** Runs a suite on SQLite, and in the full matrix also on PostgreSQL. */
export function describeApp(
  name: string,
  body: (suite: Suite) => void,
  config: Partial<Config> = {},
): void {
  describeFeature(name, (dialect) => withApp(name, dialect, body, config));
}

/** Runs a suite on SQLite only, for rules that do not depend on the database. */
export function describeAppOnSqlite(name: string, body: (suite: Suite) => void): void {
  describe(name, () => withApp(name, 'sqlite', body));
}

function withApp(
  name: string,
  dialect: Dialect,
  body: (suite: Suite) => void,
  config: Partial<Config> = {},
): void {
  const clock = new TestClock();
  let running: { testApp: TestApp; transports: Transport[] } | undefined;
  const started = () => {
    if (running === undefined) throw new Error('the app runs only during tests');
    return running;
  };

  beforeAll(async () => {
    const testApp = await startTestApp({ dialect, config, now: clock.now });
    running = { testApp, transports: openTransports(testApp.app) };
  });
  afterAll(async () => {
    for (const transport of running?.transports ?? []) transport.close();
    await running?.testApp.remove();
  });

  body({
    name,
    dialect,
    clock,
    get testApp() {
      return started().testApp;
    },
    get app() {
      return started().testApp.app;
    },
    transport: (wanted) => transportIn(started().transports, wanted),
    callsThrough(wanted, credential = {}) {
      return async (method, request, other) => {
        const own = other ?? (await (typeof credential === 'function' ? credential() : credential));
        return this.transport(wanted).call(method, request, own);
      };
    },
  });
}
