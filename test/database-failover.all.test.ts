// Calls while a PostgreSQL server becomes a standby, is promoted, or is replaced by another server.
import { cp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestApp, type TestApp } from './support/harness.ts';
import { type PostgresOptions, type PostgresServer, startPostgres } from './support/postgres.ts';
import { startSwitchedProxy } from './support/tcp-proxies.ts';

async function server(options?: PostgresOptions): Promise<PostgresServer> {
  const postgres = await startPostgres(options);
  onTestFinished(() => postgres.stop());
  return postgres;
}

async function appOn(databaseUrl: string): Promise<TestApp> {
  const test = await startTestApp({ config: { databaseUrl } });
  onTestFinished(() => test.remove());
  return test;
}

/** Runs a statement on a separate connection, on a read-only server too. */
async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({
    connectionString: url,
    options: '-c default_transaction_read_only=off',
  });
  await client.connect();
  return client
    .query(text)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

async function setReadOnly(url: string, value: 'on' | 'off'): Promise<void> {
  await query(url, `alter system set default_transaction_read_only = ${value}`);
  await query(url, 'select pg_reload_conf()');
}

async function upload({ app, env }: TestApp): Promise<number> {
  const form = new FormData();
  form.set('file', new Blob(['text']), 'a.txt');
  const headers = { authorization: `Bearer ${env.API_KEY}` };
  const url = `${app.publicUrl}/api/v1/documents`;
  const response = await fetch(url, { method: 'POST', headers, body: form });
  await response.arrayBuffer();
  return response.status;
}

/** Uploads several documents at once, so that several connections are in use. */
async function uploads(test: TestApp): Promise<number[]> {
  const statuses = await Promise.all(Array.from({ length: 8 }, () => upload(test)));
  return [...new Set(statuses)].sort();
}

async function readiness({ app }: TestApp): Promise<number> {
  return (await fetch(`${app.opsUrl}/readyz`)).status;
}

const intervalMs = 50;

/** Uploads until all uploads of a round succeed; returns the sum of the pauses in between. */
async function recoveryMs(test: TestApp): Promise<number> {
  for (let pausedMs = 0; ; pausedMs += intervalMs) {
    const statuses = await uploads(test);
    expect(statuses.filter((status) => status !== 503)).toEqual(
      statuses.includes(201) ? [201] : [],
    );
    if (!statuses.includes(503) || pausedMs > 10_000) return pausedMs;
    await sleep(intervalMs);
  }
}

async function expectNoInternalErrors(test: TestApp): Promise<void> {
  const lines = (await test.logText()).split('\n').filter((line) => line !== '');
  const codes = new Set(lines.map((line) => JSON.parse(line).code));
  expect(codes).not.toContain('internal');
}

/** The server can be restarted as a standby. */
const replica = { settings: ['wal_level=replica', 'hot_standby=on'] };

describe('a PostgreSQL server that becomes read-only', () => {
  it('makes writes unavailable, and its connections are not used again', async () => {
    const postgres = await server();
    const url = await postgres.createDatabase();
    const test = await appOn(url);
    expect(await uploads(test)).toEqual([201]);
    const connections = async () => {
      const text = 'select pid from pg_stat_activity where datname = current_database()';
      return (await query(url, `${text} and pid <> pg_backend_pid()`)).map(({ pid }) => pid);
    };
    const before = await connections();
    expect(before.length).toBeGreaterThan(1);

    await setReadOnly(url, 'on');
    await expect.poll(() => upload(test)).toBe(503);
    expect(await readiness(test)).toBe(503);
    await setReadOnly(url, 'off');

    expect(await recoveryMs(test)).toBeLessThanOrEqual(2_000);
    await expect.poll(() => readiness(test)).toBe(200);
    expect((await connections()).filter((pid) => before.includes(pid))).toEqual([]);
    await expectNoInternalErrors(test);
  }, 60_000);

  it('makes calls unavailable while it is a standby, until it is promoted', async () => {
    const postgres = await server(replica);
    const url = await postgres.createDatabase();
    const test = await appOn(url);
    const signal = path.join(postgres.dataDir, 'standby.signal');
    await writeFile(signal, '');

    await postgres.restart('SIGINT');
    expect(await uploads(test)).toEqual([503]);
    // Reads from a standby could miss a revocation.
    const headers = { authorization: `Bearer ${test.env.API_KEY}` };
    const read = await fetch(`${test.app.publicUrl}/api/v1/documents`, { headers });
    expect(read.status).toBe(503);
    expect(await readiness(test)).toBe(503);
    await query(url, 'select pg_promote()');

    expect(await recoveryMs(test)).toBeLessThanOrEqual(2_000);
    await expectNoInternalErrors(test);
  }, 60_000);
});

describe('an address that leads to another PostgreSQL server', () => {
  it('is followed, although the connections to the old server stay open', async () => {
    const old = await server(replica);
    const oldUrl = await old.createDatabase();
    const proxy = await startSwitchedProxy(oldUrl);
    const test = await appOn(proxy.url);
    expect(await uploads(test)).toEqual([201]);
    await setReadOnly(oldUrl, 'on');
    await query(oldUrl, 'checkpoint');
    const copied = await server({
      ...replica,
      async prepare(dataDir) {
        await rm(dataDir, { recursive: true });
        await cp(old.dataDir, dataDir, { recursive: true });
        await rm(path.join(dataDir, 'postmaster.pid'));
        await rm(path.join(dataDir, 'postgresql.auto.conf'));
      },
    });
    const newUrl = new URL(oldUrl);
    newUrl.port = new URL(copied.url).port;

    proxy.switchTo(newUrl.href);

    expect(await recoveryMs(test)).toBeLessThanOrEqual(2_000);
    const count = 'select count(*)::int as count from documents';
    const [oldRow] = await query(oldUrl, count);
    const [newRow] = await query(newUrl.href, count);
    expect(Number(newRow?.count)).toBeGreaterThan(Number(oldRow?.count));
    await expectNoInternalErrors(test);
  }, 60_000);
});
