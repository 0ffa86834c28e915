// A suite on each dialect whose tests share one app, its three doors and its clock.
import { afterAll, beforeAll, describe } from 'vitest';
import type { App } from '../../src/app.ts';
import { type Door, doorNames, openDoors } from './doors.ts';
import { type Dialect, describeDialects, startTestApp, type TestApp } from './harness.ts';

export type DoorName = Door['name'];

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
  door(name: DoorName): Door;
};

export function describeApp(name: string, body: (suite: Suite) => void): void {
  describeDialects(name, (dialect) => {
    const clock = new TestClock();
    let running: { testApp: TestApp; doors: Door[] } | undefined;
    const started = () => {
      if (running === undefined) throw new Error('the app runs only while tests do');
      return running;
    };

    beforeAll(async () => {
      const testApp = await startTestApp({ dialect, now: clock.now });
      running = { testApp, doors: openDoors(testApp.app) };
    });
    afterAll(async () => {
      for (const door of running?.doors ?? []) door.close();
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
      door(wanted) {
        const door = started().doors.find(({ name }) => name === wanted);
        if (door === undefined) throw new Error(`there is no door ${wanted}`);
        return door;
      },
    });
  });
}

/** A suite through each door. */
export function describeDoors(body: (door: DoorName) => void): void {
  for (const name of doorNames) describe(`through ${name}`, () => body(name));
}
