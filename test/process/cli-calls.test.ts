// Commands that call a running server, each as a process.
import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { openShell, openStaffShell, valuesOf } from '../support/cli.ts';
import { sampleName, startProgram } from '../support/program.ts';
import { useStarted } from '../support/use-started.ts';

const program = useStarted(() => startProgram());

/** A shell with the API key of the demo workspace. */
const workspaceShell = (apiKey = program.env.API_KEY) =>
  openShell({ LATCHKEY_BASE_URL: program.origin, LATCHKEY_API_KEY: apiKey });

const clientShell = () =>
  openShell({
    LATCHKEY_BASE_URL: program.origin,
    LATCHKEY_CLIENT_ID: program.env.CLIENT_ID,
    LATCHKEY_CLIENT_SECRET: program.env.CLIENT_SECRET,
  });

const staffShell = (workspace?: string) =>
  openStaffShell(program, ...(workspace === undefined ? [] : ['--workspace', workspace]));

test('a client is created, shown, changed, used and disabled', async () => {
  const staff = await staffShell();
  const words = ['clients', 'create', 'cli', '--scope', 'tokens:read', '--scope', 'accounts:read'];
  const created = valuesOf(await staff.run([...words, '--certificate-dns', 'cli.example.com']));
  expect(created['client.tls_client_auth_san_dns']).toBe('cli.example.com');
  const id = created['client.id'] ?? '';
  const renamed = await staff.run(['clients', 'update', id, '--name', 'renamed', '--json']);
  expect(JSON.parse(renamed.stdout)).toMatchObject({ id, name: 'renamed' });
  expect(valuesOf(await staff.run(['clients', 'get', id]))).toMatchObject({
    name: 'renamed',
    scopes: 'tokens:read accounts:read',
  });
  const action = 'ClientService.CreateClient';
  const log = await staff.run(['audit', 'list', '--target', id, '--action', action]);
  const named = ['First staff user', action, 'renamed', 'ok'];
  expect(log.stdout.split('\t').slice(1, 5)).toEqual(named);
  expect(log.stdout.trimEnd().split('\t').at(-1)).toBe(id);

  // The secret comes from the standard input.
  const client = await openShell();
  const login = ['login', '--server', program.origin, '--client', id];
  const refused = await client.run(login, 'lk_cs_wrong\n');
  expect(refused).toMatchObject({ status: 77, stdout: '' });
  expect((await client.run(login, `${created.client_secret}\n`)).status).toBe(0);
  const token = await client.run(['token', '--scope', 'tokens:read']);
  expect(token.stdout).toMatch(/^[\w.-]+\n$/);
  const verified = await client.run(['verify', '-', '--scope', 'tokens:read'], token.stdout);
  expect(valuesOf(verified)).toMatchObject({ active: 'true', allowed: 'true', sub: id });
  expect(verified.status).toBe(0);
  const lacking = await client.run(['verify', '-', '--scope', 'users:read'], token.stdout);
  expect(valuesOf(lacking)).toMatchObject({ active: 'true', allowed: 'false', code: 'forbidden' });
  expect(lacking.status).toBe(1);
  // A token in the arguments would be visible to other users.
  const visible = await client.run(['verify', token.stdout.trim()]);
  expect(visible).toMatchObject({ status: 2, stdout: '' });
  expect(visible.stderr).not.toContain(token.stdout.trim());

  const revoke = ['revoke', '--token-id', String(decodeJwt(token.stdout.trim()).jti)];
  expect((await staff.run([...revoke, '-'])).status).toBe(2);
  expect((await staff.run(revoke)).status).toBe(0);
  expect((await staff.run(['verify'], token.stdout)).stdout).toMatch(/^active\tfalse\n/);

  expect((await staff.run(['clients', 'disable', id])).status).toBe(0);
  expect((await client.run(['token', '--scope', 'tokens:read'])).status).toBe(77);
});

test('a deletion on a terminal names the command that undoes it', async () => {
  const staff = await staffShell();
  const { id = '' } = valuesOf(await staff.run(['workspaces', 'create', 'Short-lived']));
  const { status, text } = await staff.runOnTerminal(['workspaces', 'delete', id]);
  expect(status).toBe(0);
  const shown = /\nTo undo it: latchkey (workspaces undelete ws_\w{22})\n$/.exec(text);
  const restored = valuesOf(await staff.run(shown?.[1]?.split(' ') ?? []));
  expect(restored).toMatchObject({ id, name: 'Short-lived' });
  expect((await staff.run(['workspaces', 'delete', id])).stderr).toBe('');
});

test('a mail leads to a new password, without a credential', async () => {
  const shell = await openShell();
  const words = ['password-reset', 'request', 'nobody@example.com', '--server', program.origin];
  expect(await shell.run(words)).toMatchObject({ status: 0, stdout: '', stderr: 'Done.\n' });
  const finish = ['password-reset', 'finish', '--server', program.origin, '--token', '--password'];
  const [token, password] = ['rst_unknown.x', 'correct horse battery staple'];
  const refused = await shell.run(finish, `${token}\n${password}\n`);
  expect(refused.status).not.toBe(0);
  for (const secret of [token, password]) expect(refused.stderr).not.toContain(secret);
  expect(await shell.run(finish, `${token}\n`)).toMatchObject({ status: 2, stdout: '' });
});

test('staff see and end the sessions of a user', async () => {
  const [staff, other] = [await staffShell(), await staffShell()];
  const { user_id: id = '' } = valuesOf(await other.run(['whoami']));
  const listed = await staff.run(['users', 'sessions', 'list', id]);
  expect(listed.stdout.trimEnd().split('\n').length).toBeGreaterThanOrEqual(2);
  expect((await staff.run(['users', 'sessions', 'revoke-all', id])).status).toBe(0);
  expect((await other.run(['whoami'])).status).toBe(77);
});

test('a command with the idempotency key of an earlier one creates nothing', async () => {
  const shell = await workspaceShell();
  const words = ['upload', '-', '--name', 'once.txt', '--share', '--idempotency-key', 'key 1'];
  const first = await shell.run(words, 'text');
  expect(first.status).toBe(0);
  expect((await shell.run(words, 'text')).stdout).toBe(first.stdout);
  const { stdout } = await shell.run(['documents', 'list', '--query', 'once.txt', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ link_count: 1 });
  expect((await shell.run(words, 'other')).stderr).toContain('(idempotency_key_reused, request ');

  const lost = await openShell({ ...shell.env, LATCHKEY_BASE_URL: 'http://127.0.0.1:1' });
  const create = ['links', 'create', 'doc_1', '--idempotency-key'];
  const { stderr } = await lost.run([...create, 'key-2']);
  expect(stderr).toContain('--idempotency-key key-2');
  expect(await lost.run([...create, 'é'])).toMatchObject({ status: 2 });
});

describe('a list', () => {
  test('is tab-separated in a pipe, JSON with --json, and a table on a terminal', async () => {
    const shell = await workspaceShell();
    const { stdout } = await shell.run(['documents', 'list']);
    const [line = ''] = stdout
      .trimEnd()
      .split('\n')
      .filter((one) => one.includes(sampleName));
    const [id = '', name, size] = line.split('\t');
    expect([id.slice(0, 4), name, Number(size) > 0]).toEqual(['doc_', sampleName, true]);

    const json = (await shell.run(['documents', 'list', '--json', '--query', 'sample'])).stdout;
    expect(
      json
        .trimEnd()
        .split('\n')
        .map((one) => JSON.parse(one)),
    ).toMatchObject([{ id, name: sampleName, workspace_id: program.env.WORKSPACE_ID }]);

    const { text } = await shell.runOnTerminal(['documents', 'list'], [], 60);
    const lines = text.trimEnd().split('\n');
    expect(lines[0]).toContain('\u001b[1mID');
    expect(text).toContain(id);
    // Without the escape sequences of the title.
    for (const one of lines.slice(1)) expect([...one].length).toBeLessThanOrEqual(60);
    const plain = await openShell({ ...shell.env, NO_COLOR: '1' });
    expect((await plain.runOnTerminal(['documents', 'list'])).text).not.toContain('\u001b[');
  });

  test('shows a page, notes that there is more, and shows all rows with --all', async () => {
    const staff = await staffShell();
    for (const name of ['page-a', 'page-b', 'page-c']) {
      expect((await staff.run(['workspaces', 'create', name])).status).toBe(0);
    }
    const words = ['workspaces', 'list', '--query', 'page-', '--order-by', 'name'];
    const names = ({ stdout }: { stdout: string }) =>
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t')[1]);
    const first = await staff.run([...words, '--page-size', '2']);
    expect(names(first)).toEqual(['page-a', 'page-b']);
    const [, token = ''] = /Rows: 2 of 3\..* --page-token (\S+)/.exec(first.stderr) ?? [];
    const second = await staff.run([...words, '--page-size', '2', '--page-token', token]);
    expect([names(second), second.stderr]).toEqual([['page-c'], '']);
    const all = await staff.run([...words, '--page-size', '1', '--all']);
    expect([names(all), all.stderr]).toEqual([['page-a', 'page-b', 'page-c'], '']);
  });

  test('ends without a message if the reader of the output closes it', async () => {
    const started = (await workspaceShell()).start(['documents', 'list', '--all']);
    started.child.stdout.destroy();
    started.child.stdin.end();
    expect(await started.ended).toMatchObject({ status: 141, stderr: '' });
  });
});

describe('an error', () => {
  test('has the code of the server, its fields, and a status for its kind', async () => {
    const shell = await workspaceShell();
    const missing = await shell.run(['documents', 'get', 'doc_missing']);
    expect(missing).toMatchObject({ status: 66, stdout: '' });
    expect(missing.stderr).toMatch(/^The workspace has no such document\. \(not_found, request /);

    const wrong = await shell.run(['documents', 'list', '--order-by', 'colour']);
    expect(wrong.status).toBe(65);
    expect(wrong.stderr).toMatch(/order_by: .*\(invalid_argument, request /);

    const json = await shell.run(['documents', 'list', '--order-by', 'colour', '--json']);
    expect(JSON.parse(json.stderr)).toMatchObject({
      error: { code: 'invalid_argument', errors: [{ field: 'order_by' }] },
    });

    const kind = await shell.run(['clients', 'list']);
    expect(kind).toMatchObject({ status: 77, stdout: '' });
    const scope = await (await clientShell()).run(['clients', 'list']);
    expect(scope.stderr).toContain('identity.scope_not_granted');
    expect(scope.status).toBe(77);

    const away = await openShell({ ...shell.env, LATCHKEY_BASE_URL: 'http://127.0.0.1:1' });
    expect(await away.run(['documents', 'list'])).toMatchObject({ status: 69, stdout: '' });
  });

  test('of another workspace is the same as for a missing resource', async () => {
    const staff = await staffShell();
    const created = await staff.run(['workspaces', 'create', 'other', '--json']);
    const { id: other } = JSON.parse(created.stdout);
    const scopes = ['--scope', 'documents:read', '--scope', 'documents:write'];
    const words = ['api-keys', 'create', 'cli', ...scopes, '--workspace', other];
    const key = valuesOf(await staff.run(words)).api_key;
    const own = await workspaceShell();
    const listed = await own.run(['documents', 'list', '--query', sampleName]);
    const [id = ''] = listed.stdout.split('\t');
    const foreign = await workspaceShell(key);

    for (const action of [
      ['get', id],
      ['download', id],
      ['delete', id, '--yes'],
    ]) {
      const ran = await foreign.run(['documents', ...action]);
      expect(ran).toMatchObject({ status: 66, stdout: '' });
      expect(ran.stderr).toContain('(not_found, request ');
    }
    expect((await own.run(['documents', 'get', id])).status).toBe(0);
    // Staff name the workspace, or set it at the login.
    expect((await staff.run(['documents', 'get', id])).stderr).toContain('Add --workspace <id>.');
    const bound = await staffShell(program.env.WORKSPACE_ID);
    expect((await bound.run(['documents', 'get', id])).status).toBe(0);
  });
});

test('a change that cannot be undone needs a confirmation', async () => {
  const shell = await workspaceShell();
  const uploaded = await shell.run(['upload', '-', '--name', 'deleted.txt'], 'text');
  const id = uploaded.stdout.trim();
  const words = ['documents', 'delete', id];
  expect(await shell.run(words)).toMatchObject({ status: 2, stdout: '' });
  const declined = await shell.runOnTerminal(words, [['[y/N] ', 'n\r']]);
  expect(declined).toMatchObject({ status: 1, text: expect.stringContaining('Nothing was') });
  const confirmed = await shell.runOnTerminal(words, [['[y/N] ', 'y\r']]);
  expect(confirmed.status).toBe(0);
  expect((await shell.run(['documents', 'get', id])).status).toBe(66);
});

test('a customer gets a token and sees only its own accounts', async () => {
  const shell = await workspaceShell(program.env.CUSTOMER_API_KEY);
  expect(valuesOf(await shell.run(['whoami']))).toMatchObject({ kind: 'customer' });
  const { stdout } = await shell.run(['accounts', 'list']);
  const ids = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0]);
  expect(ids.toSorted()).toEqual(program.env.CUSTOMER_ACCOUNTS.split(',').toSorted());
  const { stdout: token } = await shell.run(['token', '--json']);
  expect(JSON.parse(token)).toMatchObject({ token_type: 'Bearer' });
});

test('open starts the browser with the address of a link', async () => {
  const shell = await workspaceShell();
  const browser = path.join(shell.home, 'browser');
  const opened = path.join(shell.home, 'opened');
  await writeFile(browser, `#!/bin/sh\nprintf %s "$1" > ${opened}\n`);
  await chmod(browser, 0o700);
  const listed = await shell.run(['links', 'list', '--json']);
  const { id, url } = JSON.parse(listed.stdout.split('\n')[0] ?? '');
  const withBrowser = await openShell({ ...shell.env, BROWSER: browser });
  expect((await withBrowser.run(['open', id])).status).toBe(0);
  await expect.poll(() => readFile(opened, 'utf8').catch(() => '')).toBe(url);
  expect((await withBrowser.run(['open', '--print'])).stdout).toBe(`${program.origin}/console\n`);
});
