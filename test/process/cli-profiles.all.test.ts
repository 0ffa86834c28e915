// Named profiles, the search, and the second names of commands.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openShell, type Shell, startServer } from '../support/cli.ts';
import { itHoldsFor } from '../support/rule.ts';
import { addSearchedRows } from '../support/searched-rows.ts';
import { useStarted } from '../support/use-started.ts';

const program = useStarted(() => startServer());

async function signIn(shell: Shell, words: readonly string[] = []): Promise<void> {
  const { STAFF_EMAIL, STAFF_PASSWORD } = program.env;
  const login = ['login', '--server', program.origin, '--email', STAFF_EMAIL, '--password-stdin'];
  expect(await shell.run([...words, ...login], STAFF_PASSWORD)).toMatchObject({ status: 0 });
}

async function signInWorkspace(shell: Shell, words: readonly string[]): Promise<void> {
  shell.env.LATCHKEY_API_KEY = program.env.API_KEY;
  const login = ['login', '--server', program.origin, '--api-key'];
  const ran = await shell.run([...login, ...words], program.env.API_KEY);
  delete shell.env.LATCHKEY_API_KEY;
  expect(ran).toMatchObject({ status: 0 });
}

test('each profile has its own credential, and one of them is the current one', async () => {
  const shell = await openShell();
  await signIn(shell);
  await signInWorkspace(shell, ['--profile', 'workspace']);
  const whoami = async (...words: string[]) => (await shell.run([...words, 'whoami'])).stdout;
  expect(await whoami()).toContain(program.env.STAFF_EMAIL);
  expect(await whoami('--profile', 'workspace')).toContain('workspace');
  shell.env.LATCHKEY_PROFILE = 'workspace';
  expect(await whoami()).not.toContain(program.env.STAFF_EMAIL);
  expect(await whoami('--profile', 'default')).toContain(program.env.STAFF_EMAIL);
  delete shell.env.LATCHKEY_PROFILE;

  const file = path.join(shell.home, 'config/latchkey/profiles/workspace.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await shell.run(['profiles', 'use', 'workspace'])).toMatchObject({ status: 0 });
  const rows = (await shell.run(['profiles', 'list', '--json'])).stdout.trim().split('\n');
  expect(rows.map((row) => JSON.parse(row))).toMatchObject([
    { name: 'default', server: program.origin, current: false },
    { name: 'workspace', server: program.origin, current: true },
  ]);
  expect(await whoami()).not.toContain(program.env.STAFF_EMAIL);
  expect(rows.join()).not.toContain(program.env.API_KEY.slice(-20));

  expect(await shell.run(['profiles', 'delete', 'workspace'])).toMatchObject({ status: 0 });
  await expect(stat(file)).rejects.toThrow('ENOENT');
  expect(await whoami()).toContain(program.env.STAFF_EMAIL);
  const deleted = await shell.run(['profiles', 'use', 'workspace']);
  expect(deleted).toMatchObject({ status: 66, stderr: 'There is no profile workspace.\n' });
});

test('deleting a profile ends its session', async () => {
  const shell = await openShell();
  await signIn(shell, ['--profile', 'mine']);
  const file = path.join(shell.home, 'config/latchkey/profiles/mine.json');
  const { token } = JSON.parse(await readFile(file, 'utf8')).credential;
  expect(await shell.run(['profiles', 'delete', 'mine'])).toMatchObject({ status: 0 });
  const headers = { authorization: `Bearer ${token}` };
  await expect
    .poll(async () => (await fetch(`${program.origin}/sessions`, { headers })).status)
    .toBe(401);
});

test('a profile is not used with another credential', async () => {
  const shell = await openShell();
  await signIn(shell, ['--profile', 'mine']);
  shell.env.LATCHKEY_PROFILE = 'mine';
  shell.env.LATCHKEY_BASE_URL = program.origin;
  shell.env.LATCHKEY_API_KEY = program.env.API_KEY;
  const mixed = await shell.run(['client', 'list']);
  expect(mixed).toMatchObject({ status: 2, stdout: '' });
  expect(mixed.stderr).toContain('replaces the profile');
});

itHoldsFor(['../profile', '.hidden', 'a/b', 'a b', '', 'x'.repeat(65)], 6)(
  'a name that is no file name is refused',
  async (name) => {
    const shell = await openShell();
    const ran = await shell.run(['--profile', name, 'whoami']);
    expect(ran.status).not.toBe(0);
    expect(ran.stdout).toBe('');
  },
);

test('a profile without a login names the command that creates it', async () => {
  const ran = await (await openShell()).run(['--profile', 'new', 'whoami']);
  const stderr = 'You are not signed in. Run: latchkey --profile new login\n';
  expect(ran).toMatchObject({ status: 77, stderr });
});

test('a group of commands has its singular as a second name', async () => {
  const shell = await openShell();
  await signIn(shell);
  const listed = await shell.run(['clients', 'list']);
  expect(await shell.run(['client', 'list'])).toEqual(listed);
  const help = await shell.run(['client', '--help']);
  expect(help).toEqual(await shell.run(['clients', '--help']));
  // `token` is a command.
  expect((await shell.run(['token', '--help'])).stdout).toContain('Prints an access token');
});

test('the search prints what the caller may list', async () => {
  const shell = await openShell();
  await signIn(shell);
  const found = await shell.run(['search', program.env.CLIENT_ID.slice(0, 12)]);
  expect(found.stdout).toContain(`client\t`);
  expect(found.stdout).toContain(program.env.CLIENT_ID);
  expect(found.stderr).toBe('');
  const json = await shell.run(['search', program.env.WORKSPACE_ID, '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ kind: 'RESOURCE_KIND_WORKSPACE' });
  const client = await openShell({
    LATCHKEY_BASE_URL: program.origin,
    LATCHKEY_CLIENT_ID: program.env.CLIENT_ID,
    LATCHKEY_CLIENT_SECRET: program.env.CLIENT_SECRET,
  });
  const refused = await client.run(['search', program.env.WORKSPACE_ID]);
  expect(refused).toMatchObject({ status: 77, stdout: '' });
});

test('the completion finds ids by their starts and by names, within the workspace', async () => {
  const shell = await openShell();
  await signIn(shell, ['--profile', 'mine']);
  const { CLIENT_ID, WORKSPACE_ID } = program.env;
  const completed = async (...line: string[]) => {
    const { stdout, stderr } = await shell.run(['completion', 'zsh', '--', ...line]);
    expect(stderr).toBe('');
    return stdout.split('\n').filter((text) => text !== '');
  };
  for (const line of [['--profile'], ['profiles', 'use'], ['clients', 'list', '--profile']]) {
    expect(await completed(...line, 'm')).toEqual(['mine']);
  }
  const mine = ['--profile', 'mine'];
  const created = await shell.run([...mine, 'clients', 'create', 'Zebra', '--json']);
  const { client } = JSON.parse(created.stdout);
  const row = `${client.id}\tZebra`;
  for (const word of [client.id.slice(0, 10), 'zeb', client.id]) {
    expect(await completed(...mine, 'clients', 'get', word)).toEqual([row]);
  }
  await shell.run([...mine, 'clients', 'create', 'Zebroid']);
  // Bash lists the names and keeps the word, because the lines have no common start.
  const bash = await shell.run(['completion', 'bash', '--', ...mine, 'clients', 'get', 'zeb']);
  expect(bash.stdout.split('\n').slice(2)).toEqual(['', '']);
  expect(bash.stdout).toContain(`${client.id}  Zebra\n`);
  const all = await completed(...mine, 'client', 'get', '');
  expect(all).toEqual(expect.arrayContaining([row, expect.stringContaining(CLIENT_ID)]));
  expect(all.every((text) => text.startsWith('cli_'))).toBe(true);
  const secrets = await completed(...mine, 'clients', 'secrets', 'revoke', client.id, '');
  expect(secrets).toEqual([expect.stringMatching(/^sec_/)]);
  const workspaces = await completed(...mine, 'documents', 'list', '--workspace', '');
  expect(workspaces.join()).toContain(WORKSPACE_ID);
  const keys = await completed(...mine, 'keys', 'revoke', '');
  expect(keys).toEqual([expect.stringMatching(/^[\w-]{43}\tEdDSA, active$/)]);
  const other = ['--workspace', 'ws_4D6GJ00000000000000000'];
  expect(await completed(...mine, 'documents', 'get', ...other, '')).toEqual([]);
  const { rows } = await addSearchedRows(program.app.inside.db, 'Grace');
  const { USER, PASSKEY, WORKSPACE, INVITATION, DOMAIN } = rows;
  const deletePasskey = [...mine, 'users', 'passkeys', 'delete'];
  const passkey = `${PASSKEY.id}\t${PASSKEY.name}`;
  expect(await completed(...deletePasskey, USER.id, '')).toEqual([passkey]);
  // The passkeys of other users do not belong to `me`.
  expect(await completed(...deletePasskey, 'me', 'pky_')).toEqual([]);
  const within = [...mine, '--workspace', WORKSPACE.id];
  for (const [command, { id, name }] of [
    [['invitations', 'revoke', WORKSPACE.id], INVITATION],
    [['domains', 'delete', WORKSPACE.id], DOMAIN],
  ] as const) {
    expect(await completed(...within, 'workspaces', ...command, '')).toEqual([`${id}\t${name}`]);
  }
  const unsigned = await shell.run(['completion', 'zsh', '--', 'clients', 'get', '']);
  expect(unsigned).toMatchObject({ status: 77, stdout: '' });
});

test('the usage has one row for each day, with the refusals in words', async () => {
  const shell = await openShell();
  await signIn(shell);
  const { CLIENT_ID, CLIENT_SECRET: client_secret } = program.env;
  const body = JSON.stringify({ client_id: CLIENT_ID, client_secret, scope: 'nothing:read' });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${program.origin}/tokens`, { method: 'POST', headers, body })).status).toBe(
    400,
  );
  const today = async () => {
    const ran = await shell.run(['usage', 'get', CLIENT_ID]);
    expect(ran.stdout.trimEnd().split('\n')).toHaveLength(30);
    return ran.stdout.trimEnd().split('\n').at(-1)?.split('\t').slice(1);
  };
  const refused = expect.stringMatching(/^identity\.scope_not_granted \d+$/);
  await expect
    .poll(today, { timeout: 30_000, interval: 500 })
    .toEqual([expect.any(String), expect.stringMatching(/^[1-9]/), expect.any(String), refused]);
});
