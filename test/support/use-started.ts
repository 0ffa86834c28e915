// An app, a program or transports that all tests of a suite share.
import { afterAll, beforeAll } from 'vitest';

/**
 * Starts it before the tests, and removes it after them. Use its members only in tests and hooks.
 */
export function useStarted<T extends { remove(): Promise<void> }>(start: () => Promise<T>): T {
  let started: T | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started?.remove());

  return new Proxy({} as T, {
    get(_, name) {
      if (started === undefined) throw new Error('it runs only during tests');
      return Reflect.get(started, name);
    },
  });
}

/** Opens them before the tests, and closes them after the tests. */
export function useTransports<T extends { close(): void }>(open: () => readonly T[]): T[] {
  const transports: T[] = [];
  beforeAll(() => void transports.push(...open()));
  afterAll(() => {
    for (const transport of transports) transport.close();
  });
  return transports;
}
