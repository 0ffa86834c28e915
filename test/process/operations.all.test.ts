import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteFile } from '../../src/storage/drivers/sqlite-library.ts';
import { startPostgres } from '../support/postgres.ts';
import { type RunningProgram, startProgram } from '../support/program.ts';
import { createTlsFiles } from '../support/tls-app.ts';

async function started(env: Record<string, string> = {}): Promise<RunningProgram> {
  const program = await startProgram(env);
  onTestFinished(() => program.remove());
  return program;
}

type Told = { status: number; json: unknown };

async function get(url: string): Promise<Told> {
  const response = await fetch(url);
  return { status: response.status, json: await response.json() };
}

const healthy = { status: 200, json: { status: 'ok' } };

function unready(...failing: string[]) {
  const checks = ['database', 'blobs', 'signing_key'].map((name) => [
    name,
    failing.includes(name) ? expect.stringMatching(/^(failing|no answer)$/) : 'ok',
  ]);
  return { status: 503, json: { status: 'not ready', checks: Object.fromEntries(checks) } };
}

/** Reads until it is so: each check of a delayed process may get no answer in time. */
const expectReadiness = ({ LATCHKEY_OPS_URL: url }: RunningProgram['env']) =>
  expect.poll(() => get(`${url}/readyz`), { timeout: 20_000 });

async function issueToken({ env }: RunningProgram, requestId: string): Promise<Response> {
  return fetch(`${env.LATCHKEY_BASE_URL}/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': requestId },
    body: JSON.stringify({
      client_id: env.CLIENT_ID,
      client_secret: env.CLIENT_SECRET,
      scope: 'accounts:read',
    }),
  });
}

describe('readiness', () => {
  test('is reported with its checks by a healthy process', async () => {
    const { env } = await started();

    expect(await get(`${env.LATCHKEY_OPS_URL}/`)).toMatchObject({
      status: 200,
      json: { paths: ['/healthz', '/readyz', '/metrics', '/internal/domain-allowed'] },
    });
    expect(await get(`${env.LATCHKEY_OPS_URL}/healthz`)).toEqual(healthy);
    await expectReadiness(env).toEqual({
      status: 200,
      json: { status: 'ok', checks: { database: 'ok', blobs: 'ok', signing_key: 'ok' } },
    });
  });

  test('fails while the folder of the documents is missing', async () => {
    const program = await started();
    const { env, dataDir } = program;
    const blobs = path.join(dataDir, 'blobs');

    await rename(blobs, `${blobs}.away`);
    await expectReadiness(env).toEqual(unready('blobs'));
    expect(await get(`${env.LATCHKEY_OPS_URL}/healthz`)).toEqual(healthy);

    // The mount point of a volume that is not mounted.
    await mkdir(blobs);
    await expectReadiness(env).toEqual(unready('blobs'));

    await rmdir(blobs);
    await rename(`${blobs}.away`, blobs);
    await expectReadiness(env).toMatchObject({ status: 200 });
  });

  test('fails while that folder is read-only', async () => {
    const { env, dataDir } = await started();
    const marker = path.join(dataDir, 'blobs/marker');
    await rm(marker);
    // Truncating a folder fails even for root, who may write to read-only files.
    await mkdir(marker);
    await expectReadiness(env).toEqual(unready('blobs'));
  });

  test('fails when no signing key is available', async () => {
    const program = await started();
    const { env, dataDir } = program;
    const db = openSqliteFile(path.join(dataDir, 'latchkey.db'), { timeout: 5_000 });
    onTestFinished(() => void db.close());

    db.exec("UPDATE signing_keys SET state = 'retired'");

    await expectReadiness(env).toEqual(unready('signing_key'));
    expect(await get(`${env.LATCHKEY_OPS_URL}/healthz`)).toEqual(healthy);
    const refused = await issueToken(program, 'no-key');
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: 'unavailable' });
  });

  test('fails while PostgreSQL is down', async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    const program = await started({
      LATCHKEY_DATABASE_URL: await postgres.createDatabase(),
      LATCHKEY_BOOTSTRAP: 'demo',
    });
    const { env } = program;
    await expectReadiness(env).toMatchObject({ status: 200 });
    const metrics = async () => (await fetch(`${env.LATCHKEY_OPS_URL}/metrics`)).text();
    const text = await metrics();
    expect(text).toContain('latchkey_database_connections_max 10\n');
    expect(text).toMatch(/^latchkey_database_connections\{state="idle"\} [1-9]/m);
    expect(text).toMatch(/^latchkey_database_waiting \d/m);
    expect(text).toContain('latchkey_mail_queue{kind="reader"} 0\n');
    expect(text).toContain('latchkey_workspaces_near_quota{quota="bytes"} 0\n');

    await postgres.stop();

    await expectReadiness(env).toEqual(unready('database'));
    expect(await metrics()).toContain('latchkey_database_connections_max 10\n');
    expect(await get(`${env.LATCHKEY_OPS_URL}/healthz`)).toEqual(healthy);
    // Cached values may be used for at most five seconds.
    const status = async () => (await issueToken(program, 'no-database')).status;
    await expect.poll(status, { timeout: 30_000, interval: 500 }).toBe(503);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  }, 90_000);
});

test('a query that runs when PostgreSQL stops does not end the program', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const url = await postgres.createDatabase();
  const program = await started({ LATCHKEY_DATABASE_URL: url });
  const holder = new Client({ connectionString: url });
  holder.on('error', () => {});
  await holder.connect();
  // The program queries this table several times a second, and now waits for its answer.
  await holder.query('BEGIN; LOCK TABLE changes IN ACCESS EXCLUSIVE MODE');
  const waiting = async () =>
    (await holder.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rows.length;
  await expect.poll(waiting).toBeGreaterThan(0);

  await postgres.stop();

  await expectReadiness(program.env).toEqual(unready('database'));
  expect(program.child.exitCode).toBeNull();
}, 90_000);

test('the metrics count the duration of calls by method, transport and code', async () => {
  const program = await started();
  await issueToken(program, 'one');
  await fetch(`${program.env.LATCHKEY_BASE_URL}/tokens`, { method: 'POST' });
  await fetch(`${program.env.LATCHKEY_BASE_URL}/nowhere`);

  const response = await fetch(`${program.env.LATCHKEY_OPS_URL}/metrics`);

  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const text = await response.text();
  const method = 'method="latchkey.identity.v1.IssuanceService/IssueToken",transport="http"';
  const count = 'latchkey_call_duration_seconds_count';
  expect(text).toContain(`${count}{${method},code="ok"} 1`);
  expect(text).toContain(`${count}{${method},code="invalid_argument"} 1`);
  expect(text).toMatch(/latchkey_route_duration_seconds_count\{route="unrouted",status="404"\} 1/);
  expect(text).toContain('process_cpu_seconds_total');
  expect(text).toContain('latchkey_log_lines_dropped_total 0');
});

test('the metrics show keys, the certificate, mails, quotas and jobs', async () => {
  const files = await createTlsFiles();
  onTestFinished(() => files.remove());
  const { tlsCert, tlsKey } = files.paths;
  const start = Date.now();
  const { env, dataDir } = await started({
    LATCHKEY_TLS_CERT: tlsCert,
    LATCHKEY_TLS_KEY: tlsKey,
    LATCHKEY_WORKSPACE_DOCUMENTS_MAX: '1',
    LATCHKEY_WORKSPACE_LINKS_MAX: '100',
  });
  const db = openSqliteFile(path.join(dataDir, 'latchkey.db'), { timeout: 5_000 });
  onTestFinished(() => void db.close());
  // After two failures, the next attempt is due an hour from now. The waits were 1 and 2 minutes.
  const dueTime = start + 3_600_000;
  db.exec(`INSERT INTO reader_mails VALUES ('lnk_failed', ${dueTime}, 2, '')`);

  const text = await (await fetch(`${env.LATCHKEY_OPS_URL}/metrics`)).text();

  const value = (series: string) => {
    const line = text.split('\n').find((one) => one.startsWith(`latchkey_${series} `));
    return line === undefined ? undefined : Number(line.split(' ')[1]);
  };
  const activateTime = value('signing_key_activate_time_seconds{alg="EdDSA"}') ?? 0;
  expect(Math.abs(activateTime - start / 1000)).toBeLessThan(600);
  const rotationTime = value('signing_key_rotation_time_seconds{alg="EdDSA"}') ?? 0;
  expect(rotationTime - activateTime).toBeCloseTo(30 * 86_400);
  const expireTime = Date.parse(new X509Certificate(await readFile(tlsCert)).validTo) / 1000;
  expect(value('tls_certificate_expire_time_seconds')).toBe(expireTime);
  expect(value('mail_queue{kind="reader"}')).toBe(1);
  expect(value('mail_queue_oldest_time_seconds{kind="reader"}')).toBe(dueTime / 1000 - 180);
  expect(value('mail_queue{kind="views"}')).toBe(0);
  expect(text).not.toContain('latchkey_mail_queue_oldest_time_seconds{kind="views"}');
  const near = ['bytes', 'documents', 'links', 'views'].map((quota) =>
    value(`workspaces_near_quota{quota="${quota}"}`),
  );
  expect(near).toEqual([0, 1, 0, 0]);
  expect(value('leases_held')).toBeGreaterThan(0);
  expect(text).not.toMatch(/^latchkey_database_/m);
});

test('the log is JSON lines on standard output, with request ids and without secrets', async () => {
  const program = await started();
  const response = await issueToken(program, 'req-1');
  const { access_token } = (await response.json()) as { access_token: string };
  await fetch(`${program.env.LATCHKEY_BASE_URL}/nowhere?api_key=${program.env.API_KEY}`, {
    headers: { 'x-request-id': 'req-2', authorization: `Bearer ${access_token}` },
  });
  await fetch(`${program.env.LATCHKEY_BASE_URL}/tokens/verify`, {
    headers: { 'x-request-id': 'not sane!', authorization: `Bearer ${access_token}` },
    method: 'POST',
    body: '{"token": "x"}',
  });
  program.child.kill('SIGTERM');
  await program.ended;

  const lines = program.stdout().trim().split('\n');
  const logged: Record<string, unknown>[] = lines.map((line) => JSON.parse(line));
  expect(logged).toContainEqual(
    expect.objectContaining({
      request_id: 'req-1',
      method: 'latchkey.identity.v1.IssuanceService/IssueToken',
      transport: 'http',
      code: 'ok',
      peer: '127.0.0.1',
      duration_ms: expect.any(Number),
      time: expect.stringMatching(/^\d{4}-.*Z$/),
    }),
  );
  expect(logged).toContainEqual(
    expect.objectContaining({ request_id: 'req-2', route: 'unrouted', status: 404 }),
  );
  const [start, ...calls] = logged;
  expect(start).toMatchObject({
    msg: 'signs tokens with Ed25519',
    implementation: expect.stringMatching(/^(libsodium|node:crypto)$/),
  });
  expect(calls.pop()).toMatchObject({ msg: 'the service has stopped' });
  for (const call of calls) expect(call.request_id).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  const { CLIENT_SECRET, API_KEY, STAFF_PASSWORD, CUSTOMER_API_KEY } = program.env;
  for (const secret of [access_token, CLIENT_SECRET, API_KEY, STAFF_PASSWORD, CUSTOMER_API_KEY]) {
    expect(program.stdout() + program.stderr()).not.toContain(secret);
  }
});

test('the operations server and the transports do not serve each other’s paths', async () => {
  const { env } = await started();

  expect((await fetch(`${env.LATCHKEY_OPS_URL}/tokens`, { method: 'POST' })).status).toBe(404);
  for (const name of ['healthz', 'readyz', 'metrics']) {
    expect((await fetch(`${env.LATCHKEY_BASE_URL}/${name}`)).status).toBe(404);
  }
});
