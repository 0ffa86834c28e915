// Runs `latchkey recover-staff <email>` as a process, with and without a running server.
import { access } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { managementScopes } from '../../src/api/access/scopes.ts';
import { transact } from '../../src/storage/database.ts';
import { freshPostgresDatabase } from '../support/databases.ts';
import { callDuring } from '../support/lock-waits.ts';
import { urlIn, withDatabase } from '../support/master-keys.ts';
import { describeFeature } from '../support/matrix.ts';
import { newDataDir, type RunningProgram, runIn, startProgram } from '../support/program.ts';
import { itHoldsFor } from '../support/rule.ts';
import { addSession, addUser } from '../support/user-rows.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

type Answer = { readonly code: unknown; readonly password: string; readonly stderr: string };

async function recover(
  env: Record<string, string>,
  dataDir: string,
  words: readonly string[],
): Promise<Answer> {
  const { status: code, stdout, stderr } = await runIn(dataDir, ['recover-staff', ...words], env);
  return { code, password: stdout.trimEnd(), stderr };
}

type Token = { readonly access_token: string; readonly scope: string };

async function signIn(
  { env }: RunningProgram,
  email: string,
  password: string,
): Promise<Partial<Token>> {
  const response = await fetch(`${env.LATCHKEY_BASE_URL}/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  return (await response.json()) as Partial<Token>;
}

async function statusWith({ env }: RunningProgram, token: string | undefined): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${env.LATCHKEY_BASE_URL}/users`, { headers })).status;
}

const sorted = (scopes: string) => scopes.split(' ').sort();

describeFeature('recover-staff', (dialect) => {
  /** A running server, and the settings with which the command finds its database. */
  async function start() {
    const dataDir = await newDataDir();
    const settings: Record<string, string> =
      dialect === 'postgres' ? { LATCHKEY_DATABASE_URL: await freshPostgresDatabase() } : {};
    const server = await startProgram({ LATCHKEY_BOOTSTRAP: 'owner', ...settings }, dataDir);
    onTestFinished(() => server.remove());
    const url = settings.LATCHKEY_DATABASE_URL ?? urlIn(dataDir);
    return { server, settings, url, dataDir };
  }

  test('enables a user again, without a second factor, while the server runs', async () => {
    const { server, settings, url, dataDir } = await start();
    const email = server.env.STAFF_EMAIL;
    const before = await signIn(server, email, server.env.STAFF_PASSWORD);
    expect(await statusWith(server, before.access_token)).toBe(200);
    const id = await withDatabase(url, async (db) => {
      const user = await db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
      const row = { user_id: user.id, ciphertext: 'x', master_key_id: 'x', last_step: 0 };
      const times = { create_time: 1, confirm_time: 1 };
      await db
        .insertInto('totp_seeds')
        .values({ ...row, ...times })
        .execute();
      // An erasure has begun.
      const erasing = { delete_time: Date.now() + 86_400_000, purge_time: 1, purge_position: '~' };
      const change = { scopes: 'payments:read', disable_time: 1, ...erasing };
      await transact(db, (trx) =>
        trx.updateTable('users').set(change).where('id', '=', user.id).execute(),
      );
      return user.id;
    });

    const { code, password, stderr } = await recover(settings, dataDir, [email.toUpperCase()]);

    expect([code, stderr]).toEqual([0, expect.stringContaining(email)]);
    expect(password).toMatch(/^[0-9A-Za-z]{22}$/);
    await withDatabase(url, (db) =>
      expectWithinOneSecond(db, () => statusWith(server, before.access_token), 401),
    );
    const after = await signIn(server, email, password);
    expect(sorted(after.scope ?? '')).toEqual([...managementScopes, 'payments:read'].sort());
    expect(await statusWith(server, after.access_token)).toBe(200);
    const row = await withDatabase(url, (db) =>
      db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    );
    const kept = { delete_time: null, purge_time: null, purge_position: null };
    expect(row).toMatchObject({ ...kept, disable_time: null });
    expect(await signIn(server, email, server.env.STAFF_PASSWORD)).not.toHaveProperty('scope');
    const events = await withDatabase(url, (db) =>
      db.selectFrom('audit_events').selectAll().where('action', '=', 'Staff.Recover').execute(),
    );
    expect(events).toMatchObject([{ actor_type: 'system', target: id, code: 'ok' }]);
  });

  test('creates a user who does not exist', async () => {
    const { server, settings, dataDir } = await start();
    const { code, password } = await recover(settings, dataDir, ['new.owner@example.com']);
    expect(code).toBe(0);
    const { scope = '' } = await signIn(server, 'new.owner@example.com', password);
    expect(sorted(scope)).toEqual([...managementScopes].sort());
  });

  test('leaves a member unchanged', async () => {
    const { settings, url, dataDir } = await start();
    const member = await withDatabase(url, async (db) => {
      const user = await addUser(db, { kind: 'member', disabled: true });
      await addSession(db, user.id);
      return user;
    });
    const { code, password, stderr } = await recover(settings, dataDir, [member.email]);
    expect([code, password]).toEqual([1, '']);
    expect(stderr).toBe(
      `The staff user was not recovered: the user ${member.email} is a member and not staff\n`,
    );
    const row = await withDatabase(url, (db) =>
      db.selectFrom('users').selectAll().where('id', '=', member.id).executeTakeFirst(),
    );
    expect(row).toEqual(member);
  });
});

test('recover-staff changes no user whose email address changes during the command', async () => {
  const url = await freshPostgresDatabase();
  const dataDir = await newDataDir();
  const settings = { LATCHKEY_DATABASE_URL: url };
  const server = await startProgram({ LATCHKEY_BOOTSTRAP: 'owner', ...settings }, dataDir);
  onTestFinished(() => server.remove());
  const email = server.env.STAFF_EMAIL;
  const change = { email: 'other@example.com' };

  const { code, password, stderr } = await callDuring(
    url,
    () => recover(settings, dataDir, [email]),
    (trx) => trx.updateTable('users').set(change).where('email', '=', email).execute(),
  );

  expect([code, password]).toEqual([1, '']);
  expect(stderr).toBe(
    `The staff user was not recovered: the user with ${email} changed; try again\n`,
  );
  const answer = await signIn(server, 'other@example.com', server.env.STAFF_PASSWORD);
  expect(answer).toHaveProperty('scope');
});

test('recover-staff does not create a missing database', async () => {
  const dataDir = await newDataDir();
  const { code, password, stderr } = await recover({}, dataDir, ['ada@example.com']);
  expect([code, password]).toEqual([1, '']);
  expect(stderr).toContain('latchkey.db');
  await expect(access(path.join(dataDir, 'latchkey.db'))).rejects.toThrow();
});

test('recover-staff refuses an empty database', async () => {
  const settings = { LATCHKEY_DATABASE_URL: await freshPostgresDatabase() };
  const { code, stderr } = await recover(settings, await newDataDir(), ['ada@example.com']);
  expect([code, stderr]).toEqual([1, 'The staff user was not recovered: the database is empty\n']);
});

itHoldsFor([[[]], [['ada@example.com', 'bo@example.com']], [['nonsense']]])(
  'recover-staff refuses wrong arguments',
  async (words) => {
    const { code, password, stderr } = await recover({}, await newDataDir(), words);
    expect([code, password]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^(Missing argument|Unexpected argument|"nonsense" is not an email address)/,
    );
  },
);
