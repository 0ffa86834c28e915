// Signing in from the command line. Sensitive actions require a sign-in in the last three seconds.
import { once } from 'node:events';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openShell, type Shell, startServer, valuesOf } from '../support/cli.ts';
import { itHoldsFor } from '../support/rule.ts';
import { useStarted } from '../support/use-started.ts';

const program = useStarted(() => startServer({ stepUpSeconds: 3 }));

const profileOf = ({ home }: Shell) => path.join(home, 'config/latchkey/profile.json');

/** Starts a server that is not Latchkey, and returns its address. */
async function startOther(handle: RequestListener): Promise<string> {
  const other = createServer(handle);
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  return `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
}

async function signedIn(): Promise<Shell> {
  const shell = await openShell();
  const { STAFF_EMAIL, STAFF_PASSWORD } = program.env;
  const words = ['login', '--server', program.origin, '--email', STAFF_EMAIL, '--password-stdin'];
  expect(await shell.run(words, `${STAFF_PASSWORD}\n`)).toMatchObject({ status: 0, stdout: '' });
  return shell;
}

test('login stores a private profile, and logout ends the session', async () => {
  const shell = await signedIn();
  const file = profileOf(shell);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
  const text = await readFile(file, 'utf8');
  expect(text).not.toContain(program.env.STAFF_PASSWORD);
  expect(valuesOf(await shell.run(['whoami']))).toMatchObject({
    server: program.origin,
    kind: 'staff',
    email: program.env.STAFF_EMAIL,
  });

  expect(await shell.run(['logout'])).toMatchObject({ status: 0 });
  expect(await shell.run(['whoami'])).toMatchObject({
    status: 77,
    stderr: 'You are not signed in. Run: latchkey login\n',
  });
  // A copy of the profile does not work any more.
  await writeFile(file, text, { mode: 0o600 });
  const again = await shell.run(['clients', 'list']);
  expect(again).toMatchObject({ status: 77, stdout: '' });
  expect(again.stderr).toContain('Run: latchkey login');
});

test('the credential of a profile is used for its own server only', async () => {
  const shell = await signedIn();
  const contacts: string[] = [];
  const otherServer = await startOther((request, response) => {
    contacts.push(`${request.method} ${request.url}`);
    response.writeHead(500).end();
  });
  const run = async (words: readonly string[], address: string) => {
    // The shell reads its environment at each command.
    shell.env.LATCHKEY_BASE_URL = address;
    const ran = await shell.run(words);
    delete shell.env.LATCHKEY_BASE_URL;
    return ran;
  };
  const before = valuesOf(await shell.run(['whoami']));

  for (const words of [
    ['clients', 'create', 'Reports', '--scope', 'payments:read'],
    ['clients', 'list', '--json'],
    ['whoami'],
    ['upload', profileOf(shell)],
  ]) {
    const ran = await run(words, otherServer);
    expect(ran, words.join(' ')).toMatchObject({ status: 2, stdout: '' });
    expect(ran.stderr).toContain(`is ${otherServer}, but you are signed in to ${program.origin}`);
  }
  expect(contacts).toEqual([]);
  expect((await shell.run(['clients', 'list'])).stdout).not.toContain('Reports');
  expect(valuesOf(await run(['whoami'], `${program.origin}/`))).toEqual(before);
});

test('a session that was ended elsewhere asks for a new login', async () => {
  const [shell, other] = [await signedIn(), await signedIn()];
  const listed = await shell.run(['sessions', 'list', '--json', '--all']);
  const sessions = listed.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [own] = sessions.filter(({ current }) => current);
  expect(await other.run(['sessions', 'revoke', own.id])).toMatchObject({ status: 0 });

  const ended = await shell.run(['clients', 'list']);
  expect(ended).toMatchObject({ status: 77, stdout: '' });
  expect(ended.stderr).toContain('(unauthenticated, request ');
  expect(ended.stderr).toContain('Run: latchkey login');
});

describe('a refused login stores no profile:', () => {
  itHoldsFor([
    ['a wrong password', () => program.origin, 'wrong\n', 77, 'identity.credential_invalid'],
    ['an empty password', () => program.origin, '', 2, 'no password'],
    ['a server without https', () => 'http://keys.example.com', 'x\n', 2, 'is not https'],
    [
      'a server without http://',
      () => '127.0.0.1:8080',
      'x\n',
      2,
      'Write http://127.0.0.1:8080.\n',
    ],
    ['a server without https://', () => 'a.example/k', 'x\n', 2, 'Write https://a.example/k.\n'],
    ['another scheme', () => 'ftp://a.example', 'x\n', 2, 'is not an http or https address.\n'],
    ['a server with a password', () => 'https://me:pw@a.example', 'x\n', 2, 'must not contain a'],
    ['a server that does not answer', () => 'http://127.0.0.1:1', 'x\n', 69, 'ECONNREFUSED'],
    [
      'a server that is not Latchkey',
      () => startOther((_, response) => response.writeHead(404).end('Not found')),
      'x\n',
      69,
      'does not come from Latchkey',
    ],
  ])('names the cause', async (_name, serverOf, input, status, message) => {
    const shell = await openShell();
    const words = ['login', '--server', await serverOf(), '--email', program.env.STAFF_EMAIL];
    const ran = await shell.run([...words, '--password-stdin'], input);
    expect(ran).toMatchObject({ status, stdout: '' });
    expect(ran.stderr).toContain(message);
    expect(ran.stderr).not.toContain('pw@');
    await expect(stat(profileOf(shell))).rejects.toThrow('ENOENT');
  });
});

test('login --workspace refuses only a workspace that does not exist', async () => {
  const shell = await openShell();
  const { STAFF_EMAIL, STAFF_PASSWORD, API_KEY, WORKSPACE_ID } = program.env;
  const login = ['login', '--server', program.origin];
  const asStaff = [...login, '--email', STAFF_EMAIL, '--password-stdin', '--workspace'];
  const refused = await shell.run([...asStaff, 'ws_4D6GJ00000000000000000'], STAFF_PASSWORD);
  expect(refused).toMatchObject({ status: 66, stdout: '' });
  expect(refused.stderr).toMatch(/^The workspace does not exist\. /);
  await expect(stat(profileOf(shell))).rejects.toThrow('ENOENT');

  expect((await shell.run([...asStaff, WORKSPACE_ID], STAFF_PASSWORD)).status).toBe(0);
  // The refused sign-in ends the session of the profile, which gets the new one.
  expect((await shell.run([...asStaff, 'ws_4D6GJ00000000000000000'], STAFF_PASSWORD)).status).toBe(
    66,
  );
  expect(valuesOf(await shell.run(['whoami'])).workspace_id).toBe(WORKSPACE_ID);
  expect((await shell.run(['clients', 'list'])).status).toBe(0);
  const asProgram = [...login, '--api-key', '--workspace', WORKSPACE_ID];
  expect((await shell.run(asProgram, API_KEY)).status).toBe(0);
});

test('a command refuses a --workspace that is not the id of a workspace', async () => {
  const shell = await openShell();
  const login = await shell.run(['login', '--server', program.origin, '--workspace', 'Acme'], '');
  const staff = await signedIn();
  const file = path.join(staff.home, 'config/latchkey/profile.json');
  const calls = [
    ['documents', 'list'],
    ['links', 'create-for', 'doc_1', file],
    ['upload', file],
  ].map((words) => staff.run([...words, '--workspace', 'Acme']));
  const all = [login, ...(await Promise.all(calls))];
  const message = '--workspace is not a workspace id: ws_';
  const failures = all.filter(({ status, stderr }) => status !== 2 || !stderr.includes(message));
  expect(failures).toEqual([]);
  expect(all).toHaveLength(4);
});

test('a profile that other users can read, or that is damaged, is refused', async () => {
  const shell = await signedIn();
  await chmod(profileOf(shell), 0o644);
  const open = await shell.run(['whoami']);
  expect(open).toMatchObject({ status: 77, stdout: '' });
  expect(open.stderr).toContain('run chmod 600');
  await chmod(profileOf(shell), 0o600);
  await writeFile(profileOf(shell), '{}');
  expect((await shell.run(['whoami'])).stderr).toMatch(/damaged\. Run: latchkey login/);
});

describe('on a terminal', () => {
  test('login asks for the password without showing it', async () => {
    const shell = await openShell();
    const { STAFF_EMAIL, STAFF_PASSWORD } = program.env;
    const { status, text } = await shell.runOnTerminal(
      ['login', '--server', program.origin],
      [
        ['Email: ', `${STAFF_EMAIL}\r`],
        ['Password: ', `${STAFF_PASSWORD}\r`],
        ['none): ', '\r'],
      ],
    );
    expect(text).toContain(`Signed in to ${program.origin} as ${STAFF_EMAIL}.`);
    expect(text).not.toContain(STAFF_PASSWORD);
    expect(status).toBe(0);
    expect(valuesOf(await shell.run(['whoami'])).email).toBe(STAFF_EMAIL);
  });

  test('Ctrl-C at the password ends the command', async () => {
    const shell = await openShell();
    const words = ['login', '--server', program.origin, '--email', program.env.STAFF_EMAIL];
    const { status, text } = await shell.runOnTerminal(words, [['Password: ', '\u0003']]);
    expect(text).toContain('Interrupted.');
    expect(status).toBe(130);
  });

  test('a sensitive action asks for the password again, and shows the secret once', async () => {
    const shell = await signedIn();
    const words = ['clients', 'create', 'stepped-up', '--scope', 'tokens:read'];
    // Without a terminal, the command cannot ask.
    await expect.poll(async () => (await shell.run(words)).stderr).toContain('step_up_required');
    const { status, text } = await shell.runOnTerminal(words, [
      ['Password: ', `${program.env.STAFF_PASSWORD}\r`],
      ['none): ', '\r'],
    ]);
    expect(text).toContain(`Sign in again as ${program.env.STAFF_EMAIL}`);
    expect(text).toMatch(/client secret +lk_cs_/);
    expect(text).toMatch(/\nStore the client secret now\. It is not shown again\.\r?\n$/);
    expect(status).toBe(0);
  });
});
