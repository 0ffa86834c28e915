// The errors that callers get while the database fails.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Code } from '@connectrpc/connect';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { IssuanceService } from '../gen/latchkey/identity/v1/issuance_pb.js';
import { VerificationService } from '../gen/latchkey/identity/v1/verification_pb.js';
import { openSqliteFile } from '../src/storage/drivers/sqlite-library.ts';
import { startTestApp, type TestApp } from './support/harness.ts';
import { describeFeature } from './support/matrix.ts';
import { type Added, addClient } from './support/owner-rows.ts';
import { startPostgres } from './support/postgres.ts';
import { signToken } from './support/signed-tokens.ts';
import { openTransports, type Transport } from './support/transports.ts';

const { issueToken } = IssuanceService.method;
const { revokeToken } = VerificationService.method;

describeFeature('a fault', (dialect) => {
  it('that is unexpected is `internal`; its cause is only in the log', async () => {
    const test = await startTestApp({ dialect });
    onTestFinished(() => test.remove());
    const transports = openTransports(test.app);
    onTestFinished(() => closeAll(transports));
    const client = await addClient(test.app.inside.db, 'accounts:read');
    await test.app.inside.db.schema.dropTable('credentials').execute();

    for (const transport of transports) {
      const answer = await transport.call(issueToken, requestOf(client), {
        requestId: transport.name,
      });
      expect(answer).toEqual({
        ok: false,
        error: {
          code: 'internal',
          grpc: Code.Internal,
          message: 'An internal error occurred.',
          requestId: transport.name,
          fields: [],
        },
      });
    }
    const text = JSON.stringify(await httpIssue(test, client));
    expect(text).not.toMatch(/credentials|table|relation|sql/i);

    const lines = (await test.logText()).split('\n').filter((line) => line.includes('internal'));
    for (const { name } of transports) {
      const line = lines.find((one) => JSON.parse(one).request_id === name);
      expect(line, name).toMatch(/credentials/);
      expect(line).not.toContain(client.text);
    }
  });
});

describe('a PostgreSQL server that goes away', () => {
  it('makes calls unavailable, with a Retry-After', async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    const databaseUrl = await postgres.createDatabase();
    const test = await startTestApp({ config: { databaseUrl } });
    onTestFinished(() => test.remove());
    const transports = openTransports(test.app);
    onTestFinished(() => closeAll(transports));
    const client = await addClient(test.app.inside.db, 'accounts:read');

    await postgres.stop();

    await expectUnavailable(test, transports, client);
  }, 90_000);
});

describe('an SQLite file that another process keeps locked', () => {
  it('makes calls that write unavailable, with a Retry-After', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-test-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const test = await startTestApp({ dataDir: folder });
    onTestFinished(() => test.stop());
    const transports = openTransports(test.app);
    onTestFinished(() => closeAll(transports));
    const locker = openSqliteFile(`${folder}/latchkey.db`, { timeout: 0 });
    onTestFinished(() => void locker.close());
    const own = { type: 'service', scope: 'tokens:write' } as const;
    const token = await signToken(test.app, own);
    const revoke = (transport: Transport) =>
      transport.call(revokeToken, { token }, { authorization: `Bearer ${token}` });

    // If it waited inside SQLite, the app could not finish a transaction in this thread.
    await vi.waitFor(() => locker.exec('BEGIN IMMEDIATE'), { timeout: 10_000 });

    for (const transport of transports) {
      expect(await revoke(transport)).toMatchObject({
        ok: false,
        error: { code: 'unavailable', grpc: Code.Unavailable },
      });
    }
    locker.exec('ROLLBACK');
    for (const transport of transports.slice(0, 1))
      expect(await revoke(transport)).toMatchObject({ ok: true });
  });
});

async function expectUnavailable(
  test: TestApp,
  transports: Transport[],
  client: Added,
): Promise<void> {
  for (const transport of transports) {
    const answer = await transport.call(issueToken, requestOf(client));
    expect(answer).toMatchObject({
      ok: false,
      error: {
        code: 'unavailable',
        grpc: Code.Unavailable,
        message: 'The database is unreachable.',
      },
    });
  }
  const { response, body } = await httpIssue(test, client);
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(body).toMatchObject({ code: 'unavailable', error: 'temporarily_unavailable' });
}

async function httpIssue({ app }: TestApp, { ownerId, text }: Added) {
  const body = { client_id: ownerId, client_secret: text, scope: 'accounts:read' };
  const response = await fetch(`${app.publicUrl}/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { response, body: (await response.json()) as Record<string, unknown> };
}

function requestOf({ ownerId, text }: Added) {
  return { clientId: ownerId, clientSecret: text, scope: 'accounts:read' };
}

function closeAll(transports: readonly Transport[]): void {
  for (const transport of transports) transport.close();
}
