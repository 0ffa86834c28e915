// A suite whose tests share one app, its three transports and its clock.
import { afterAll, beforeAll, describe } from 'vitest';
import type { App } from '../../src/app.ts';
import { type Dialect, describeDialects, startTestApp, type TestApp } from './harness.ts';
import { openTransports, type Transport, transportNames } from './transports.ts';

export type TransportName = Transport['name'];

/** Runs with the machine's clock until it is set. */
class TestClock {
  /** Milliseconds since 1970; undefined for the machine's own time. */
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

/** A suite on each dialect. */
export function describeApp(name: string, body: (suite: Suite) => void): void {
  describeDialects(name, (dialect) => withApp(dialect, body));
}

/** A suite on SQLite alone, for rules that do not depend on the database. */
export function describeAppOnSqlite(name: string, body: (suite: Suite) => void): void {
  describe(name, () => withApp('sqlite', body));
}

function withApp(dialect: Dialect, body: (suite: Suite) => void): void {
  const clock = new TestClock();
  let running: { testApp: TestApp; transports: Transport[] } | undefined;
  const started = () => {
    if (running === undefined) throw new Error('the app runs only while tests do');
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
      if (transport === undefined) throw new Error(`there is no transport ${wanted}`);
      return transport;
    },
  });
}

/**
 * A suite through each transport on SQLite, and through one on PostgreSQL: the wire formats do not
 * depend on the database.
 */
export function describeTransports(
  { dialect }: Pick<Suite, 'dialect'>,
  body: (transport: TransportName) => void,
): void {
  const names: readonly TransportName[] = dialect === 'sqlite' ? transportNames : ['grpc'];
  for (const name of names) describe(`through ${name}`, () => body(name));
}

/** A suite through one transport, for rules that no wire format changes. */
export function describeOneTransport(
  { dialect }: Pick<Suite, 'dialect'>,
  body: (transport: TransportName) => void,
): void {
  const name = dialect === 'sqlite' ? 'http' : 'grpc';
  describe(`through ${name}`, () => body(name));
}
