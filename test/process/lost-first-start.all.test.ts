// A first start whose connection to PostgreSQL is lost during the COMMIT that fills the database.
import { access } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type CommitProxy, startCommitProxy } from '../support/commit-proxy.ts';
import { migratedPostgresDatabase } from '../support/databases.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { newDataDir } from '../support/program.ts';
import { upload } from '../support/sharing-api.ts';

async function openProxy(): Promise<CommitProxy> {
  const proxy = await startCommitProxy(await migratedPostgresDatabase());
  onTestFinished(() => proxy.close());
  return proxy;
}

async function start(dataDir: string, databaseUrl: string): Promise<TestApp> {
  const app = await startTestApp({ dataDir, config: { databaseUrl } });
  onTestFinished(() => app.remove());
  return app;
}

test('keeps the secrets if PostgreSQL has committed', async () => {
  const proxy = await openProxy();
  proxy.loseNext('answer-lost', /insert into "signing_keys"/);

  const app = await start(await newDataDir(), proxy.url);

  expect(proxy.lost()).toBe(1);
  expect(app.app.bootstrapped).toBe(true);
  expect((await upload(app, Buffer.from('bytes'))).size_bytes).toBe(5);
});

test('fills the database at the next start if PostgreSQL has not committed', async () => {
  const proxy = await openProxy();
  const dataDir = await newDataDir();
  proxy.loseNext('commit-lost', /insert into "signing_keys"/);
  await expect(start(dataDir, proxy.url)).rejects.toMatchObject({ code: 'unavailable' });
  // PostgreSQL might still be committing.
  await access(path.join(dataDir, 'bootstrap.env'));

  const app = await start(dataDir, proxy.url);

  expect(app.app.bootstrapped).toBe(true);
  expect((await upload(app, Buffer.from('bytes'))).size_bytes).toBe(5);
});
