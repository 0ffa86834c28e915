// Transactions on PostgreSQL whose process has stopped, and queries without an answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readSnapshot } from '../../src/backup/store.ts';
import { addUsage } from '../../src/sharing/quotas/store.ts';
import { openDatabase, transact } from '../../src/storage/database.ts';
import type { PostgresSettings } from '../../src/storage/drivers/postgres.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { migratedPostgresDatabase } from '../support/databases.ts';
import { countWaiting } from '../support/lock-waits.ts';
import { startForwarding } from '../support/tcp-proxies.ts';

async function open(url: string, settings: PostgresSettings = {}): Promise<Database> {
  const db = await openDatabase(url, settings);
  onTestFinished(() => db.destroy());
  return db;
}

async function addWorkspace(db: Database): Promise<void> {
  const row = { id: 'ws_1', name: 'One', create_time: 1 };
  await transact(db, (trx) => trx.insertInto('workspaces').values(row).execute());
}

const upload = (db: Database) =>
  transact(db, (trx) => addUsage(trx, 'ws_1', { documents: 1, bytes: 1 }));

async function countDocuments(db: Database): Promise<number | undefined> {
  const usage = db.selectFrom('workspace_usage').select('documents');
  return (await usage.executeTakeFirst())?.documents;
}

/** Starts a transaction that counts for the workspace and then sends nothing any more. */
function freeze(db: Database) {
  let resume = () => {};
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  let hasLock = () => {};
  const locked = new Promise<void>((resolve) => {
    hasLock = resolve;
  });
  const ended = transact(db, async (trx) => {
    await addUsage(trx, 'ws_1', { documents: 1 });
    hasLock();
    await resumed;
    await addUsage(trx, 'ws_1', { documents: 1 });
  });
  ended.catch(() => {});
  return { locked, resume, ended };
}

/** A proxy of a database that forwards nothing from a moment on, and keeps its connections. */
async function startHangingProxy(url: string) {
  const { port, hostname: host } = new URL(url);
  let hangs = false;
  const proxy = new URL(url);
  const proxyPort = await startForwarding({
    target: () => ({ port: Number(port), host }),
    join(client, upstream) {
      client.on('data', (bytes) => void (hangs || upstream.write(bytes)));
      upstream.on('data', (bytes) => void (hangs || client.write(bytes)));
    },
  });
  proxy.port = String(proxyPort);
  return {
    url: proxy.href,
    hang() {
      hangs = true;
    },
  };
}

const unavailable = { code: 'unavailable', extra: { retryAfterSeconds: 1 } };

describe('a process that stops inside a transaction', () => {
  it('loses its locks, and its transaction fails as a whole', async () => {
    const url = await migratedPostgresDatabase();
    const [frozen, other] = [await open(url), await open(url)];
    await addWorkspace(other);
    const stopped = freeze(frozen);
    await stopped.locked;

    await upload(other);

    stopped.resume();
    await expect(stopped.ended).rejects.toMatchObject(unavailable);
    expect(await countDocuments(other)).toBe(1);
    await upload(frozen);
    expect(await countDocuments(other)).toBe(2);
  });

  it('releases all its locks, held or awaited, before the end of the query time', async () => {
    const plain = await migratedPostgresDatabase();
    const proxy = await startHangingProxy(plain);
    const settings = { databaseQuerySeconds: 4 };
    const [frozen, other] = [await open(proxy.url, settings), await open(plain, settings)];
    await addWorkspace(other);
    const stopped = freeze(frozen);
    await stopped.locked;
    const waiting = Array.from({ length: 5 }, () => upload(frozen));
    for (const one of waiting) one.catch(() => {});
    await expect.poll(() => countWaiting(other)).toBe(5);

    proxy.hang();
    const until = performance.now() + 4000;
    let error: unknown;
    do error = await upload(other).catch((reason: unknown) => reason);
    while (error !== undefined && performance.now() < until);

    expect(error).toBe(undefined);
    stopped.resume();
    await Promise.allSettled([stopped.ended, ...waiting]);
  });

  it('may stop inside a transaction of a backup for longer', async () => {
    const url = await migratedPostgresDatabase();
    const db = await open(url, { databaseQuerySeconds: 1 });
    const tables = await readSnapshot(db, async (trx) => {
      // Longer than another transaction may be idle.
      await sleep(1_000);
      return trx.selectFrom('revisions').selectAll().execute();
    });
    expect(tables.length).toBeGreaterThan(0);
  });
});

/** Another program's transaction, without the limits of the service. */
async function lockUsage(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin');
  await client.query("update workspace_usage set documents = 7 where workspace_id = 'ws_1'");
  return client;
}

async function serverProcesses(db: Database): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and application_name = 'tested'
  `.execute(db);
  return rows.map(({ pid }) => pid).sort();
}

describe('a lock that is not released', () => {
  it('makes the writes that need it unavailable, within the connections of the pool', async () => {
    const plain = await migratedPostgresDatabase();
    const url = `${plain}?application_name=tested`;
    const settings = { databasePoolMax: 4, databaseQuerySeconds: 2 };
    const db = await open(url, settings);
    const watcher = await open(plain);
    await addWorkspace(db);
    await upload(db);
    await lockUsage(plain);
    const counts: number[] = [];
    let isOver = false;
    const watching = (async () => {
      for (; !isOver; await sleep(50)) counts.push((await serverProcesses(watcher)).length);
    })();

    const uploads = Array.from({ length: 12 }, () => upload(db).catch((error: unknown) => error));
    for (const error of await Promise.all(uploads)) expect(error).toMatchObject(unavailable);
    isOver = true;
    await watching;

    expect(counts.length).toBeGreaterThan(5);
    expect(Math.max(...counts)).toBeLessThanOrEqual(settings.databasePoolMax);
    // Nothing waits for the lock on behalf of a call that has failed.
    expect(await countWaiting(watcher)).toBe(0);
  });

  it('leaves the connections of the pool open', async () => {
    const plain = await migratedPostgresDatabase();
    const db = await open(`${plain}?application_name=tested`, { databaseQuerySeconds: 2 });
    const watcher = await open(plain);
    await addWorkspace(db);
    await Promise.all(Array.from({ length: 5 }, () => upload(db)));
    await lockUsage(plain);
    const before = await serverProcesses(watcher);
    await expect(upload(db)).rejects.toMatchObject(unavailable);
    expect(await serverProcesses(watcher)).toEqual(before);
  });
});

describe('a query that is not answered in time', () => {
  it('closes its own connection only', async () => {
    const plain = await migratedPostgresDatabase();
    const db = await open(`${plain}?application_name=tested`, { databaseQuerySeconds: 1 });
    const watcher = await open(plain);
    const wait = () => sql`select pg_sleep(0.2)`.execute(db);
    await Promise.all(Array.from({ length: 4 }, wait));
    const before = await serverProcesses(watcher);
    expect(before.length).toBeGreaterThanOrEqual(4);

    await expect(sql`select pg_sleep(3)`.execute(db)).rejects.toThrow();

    const others = async () =>
      (await serverProcesses(watcher)).filter((pid) => before.includes(pid));
    await expect.poll(others).toHaveLength(before.length - 1);
    await Promise.all(Array.from({ length: 3 }, wait));
    expect(await others()).toHaveLength(before.length - 1);
  });

  it('is ended by a server that checks the connections of its clients', async () => {
    const plain = await migratedPostgresDatabase();
    const options = encodeURIComponent('-c client_connection_check_interval=500');
    const db = await open(`${plain}?options=${options}`, { databaseQuerySeconds: 1 });
    const watcher = await open(plain);
    const running = async () => {
      const { rows } = await sql`
        select pid from pg_stat_activity
        where state = 'active' and query like 'select pg_sleep(40)%'
      `.execute(watcher);
      return rows.length;
    };
    const abandoned = sql`select pg_sleep(40)`.execute(db);
    await expect.poll(running).toBe(1);
    await expect(abandoned).rejects.toThrow();
    await expect.poll(running).toBe(0);
  });

  it('is not followed by a rollback, which would not be answered either', async () => {
    const plain = await migratedPostgresDatabase();
    const proxy = await startHangingProxy(plain);
    const queries = vi.spyOn(pg.Client.prototype, 'query');
    onTestFinished(() => queries.mockRestore());
    const db = await open(proxy.url, { databaseQuerySeconds: 1 });
    await addWorkspace(db);
    const failed = transact(db, async (trx) => {
      await addUsage(trx, 'ws_1', { documents: 1 });
      proxy.hang();
      queries.mockClear();
      await addUsage(trx, 'ws_1', { documents: 1 });
    });
    await expect(failed).rejects.toMatchObject(unavailable);
    expect(queries.mock.calls.map(([text]) => text)).toEqual([
      expect.stringContaining('workspace_usage'),
    ]);
  });
});
