// A test suite whose tests share one app, its three transports and its clock.
import { afterAll, beforeAll, describe } from 'vitest';
import type { App } from '../../src/app.ts';
import { type Dialect, describeDialects, startTestApp, type TestApp } from './harness.ts';
import { openTransports, type Transport, transportNames } from './transports.ts';

export type TransportName = Transport['name'];

/** Follows the system clock until a test sets it. */
class TestClock {
  /** Milliseconds since 1970; undefined means the system clock. */
  frozen: number | undefined;
  readonly now = (): number => this.frozen ?? Date.now();
}

export type Suite = {
  readonly dialect: Dialect;
  readonly clock: TestClock;
  readonly testApp: TestApp;
  readonly app: App;
  transport(name: TransportName): Transport;
};

/** A running app with its transports. */
export type Place = Pick<Suite, 'testApp' | 'app' | 'transport'>;

/** Runs a suite on each dialect. */
export function describeApp(name: string, body: (suite: Suite) => void): void {
  describeDialects(name, (dialect) => withApp(dialect, body));
}

/** Runs a suite on SQLite only, for rules that do not depend on the database. */
export function describeAppOnSqlite(name: string, body: (suite: Suite) => void): void {
  describe(name, () => withApp('sqlite', body));
}

function withApp(dialect: Dialect, body: (suite: Suite) => void): void {
  const clock = new TestClock();
  let running: { testApp: TestApp; transports: Transport[] } | undefined;
  const started = () => {
    if (running === undefined) throw new Error('the app runs only during tests');
    return running;
  };

  beforeAll(async () => {
    const testApp = await startTestApp({ dialect, now: clock.now });
    running = { testApp, transports: openTransports(testApp.app) };
  });
  afterAll(async () => {
    for (const transport of running?.transports ?? []) transport.close();
    await running?.testApp.remove();
  });

  body({
    dialect,
    clock,
    get testApp() {
      return started().testApp;
    },
    get app() {
      return started().testApp.app;
    },
    transport(wanted) {
      const transport = started().transports.find(({ name }) => name === wanted);
      if (transport === undefined) throw new Error(`unknown transport ${wanted}`);
      return transport;
    },
  });
}

/**
 * Runs a suite on SQLite through each transport, and on PostgreSQL through one of them. The wire
 * formats do not depend on the database.
 */
export function describeTransports(
  { dialect }: Pick<Suite, 'dialect'>,
  body: (transport: TransportName) => void,
): void {
  const names: readonly TransportName[] = dialect === 'sqlite' ? transportNames : ['grpc'];
  for (const name of names) describe(`through ${name}`, () => body(name));
}

/** Runs a suite through one transport, for rules that do not depend on the wire format. */
export function describeOneTransport(
  { dialect }: Pick<Suite, 'dialect'>,
  body: (transport: TransportName) => void,
): void {
  const name = dialect === 'sqlite' ? 'http' : 'grpc';
  describe(`through ${name}`, () => body(name));
}
