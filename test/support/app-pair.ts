// Two apps on one database, data folder and clock, as two processes would run them.

import type { Config } from '../../src/base/config/config.ts';
import { freePort } from './free-port.ts';
import { startTestApp, type TestApp } from './harness.ts';
import type { Dialect } from './matrix.ts';

export type AppPair = {
  readonly clock: { now: number };
  readonly apps: readonly [TestApp, TestApp];
  /** The address of each app; both use the public URL of the first. */
  readonly origins: readonly [string, string];
  remove(): Promise<void>;
};

export async function startAppPair(dialect: Dialect, config: Partial<Config>): Promise<AppPair> {
  const clock = { now: Math.ceil(Date.now() / 1000) * 1000 };
  const now = () => clock.now;
  const first = await startTestApp({ dialect, now, config });
  const { publicUrl } = first.app;
  const { dataDir, databaseUrl } = first;
  const http = { host: '127.0.0.1', port: await freePort() };
  const second = await startTestApp({
    dataDir,
    now,
    config: { ...config, databaseUrl, publicUrl, http },
  });
  return {
    clock,
    apps: [first, second],
    origins: [publicUrl, `http://127.0.0.1:${http.port}`],
    async remove() {
      await second.stop();
      await first.remove();
    },
  };
}
