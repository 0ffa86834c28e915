// A suite on each dialect whose tests share one app, its three transports and its clock.
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

export function describeApp(name: string, body: (suite: Suite) => void): void {
  describeDialects(name, (dialect) => {
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
  });
}

/** A suite through each transport. */
export function describeTransports(body: (transport: TransportName) => void): void {
  for (const name of transportNames) describe(`through ${name}`, () => body(name));
}
