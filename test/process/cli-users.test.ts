// Commands for users, each as a process.
import { expect, test } from 'vitest';
import { openShell, openStaffShell, startServer, valuesOf } from '../support/cli.ts';
import { useStarted } from '../support/use-started.ts';
import { codeAt, fromBase32 } from '../support/user-rows.ts';

const program = useStarted(() => startServer());

test('a user with a second factor signs in with the password and a code', async () => {
  const staff = await openStaffShell(program);
  const email = 'second-factor@example.com';
  const [first, password] = ['a first long password', 'correct horse battery staple'];
  const words = ['users', 'create', email, '--kind', 'member', '--password'];
  const { id = '', kind } = valuesOf(await staff.run(words, first));
  expect(kind).toBe('member');

  const user = await openShell({ LATCHKEY_BASE_URL: program.origin });
  const login = ['login', '--email', email, '--password-stdin'];
  expect((await user.run(login, first)).status).toBe(0);
  const change = ['users', 'set-password', id, '--current-password', '--password'];
  const wrong = await user.run(change, `${password}x\n${password}\n`);
  expect(wrong.status).toBe(77);
  expect(wrong.stderr).toContain('The current password is wrong.');
  expect((await user.run(change, `${first}\n${password}\n`)).status).toBe(0);
  const { secret = '' } = valuesOf(await user.run(['users', 'totp', 'enrol', id]));
  const seed = fromBase32(secret);
  const confirm = ['users', 'totp', 'confirm', id, '--code'];
  const confirmed = await user.run(confirm, codeAt(seed, Date.now()));
  expect(valuesOf(confirmed)).toMatchObject({ totp_enabled: 'true' });

  expect((await user.run(login, password)).status).toBe(77);
  // A code works once.
  const next = codeAt(seed, Date.now() + 30_000);
  expect((await user.run(login, `${password}\n${next}\n`)).status).toBe(0);
});

test('staff name a user by the email address', async () => {
  const staff = await openStaffShell(program);
  const { STAFF_EMAIL } = program.env;
  const { user_id: id } = valuesOf(await staff.run(['whoami']));
  const access = await staff.run(['users', 'access', STAFF_EMAIL.toUpperCase(), '--json']);
  expect(JSON.parse(access.stdout)).toMatchObject({ user_id: id });
  expect(valuesOf(await staff.run(['users', 'get', STAFF_EMAIL]))).toMatchObject({ id });
  expect(await staff.run(['users', 'access', 'no-one@example.com'])).toMatchObject({
    ...{ status: 66, stdout: '', stderr: 'No user has the address no-one@example.com.\n' },
  });
  const email = 'deleted-by-address@example.com';
  const create = ['users', 'create', email, '--kind', 'member', '--password'];
  expect((await staff.run(create, 'a first long password')).status).toBe(0);
  expect((await staff.run(['users', 'delete', email])).status).toBe(0);
  const { id: restored } = valuesOf(await staff.run(['users', 'undelete', email]));
  expect(valuesOf(await staff.run(['users', 'get', email])).id).toBe(restored);
});

test('views mark-read prints until when the notices are read', async () => {
  const staff = await openStaffShell(program);
  const time = '2026-01-02T03:04:05Z';
  const words = ['views', 'mark-read', '--workspace', program.env.WORKSPACE_ID];
  const marked = await staff.run([...words, '--read-time', time]);
  expect(marked).toMatchObject({ status: 0, stdout: `read_time\t${time}\n` });
});
