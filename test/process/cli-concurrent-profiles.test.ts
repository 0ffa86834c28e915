// A command that still runs when another one changes the profile, such as `audit list --follow`.
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRemote } from '../../clients/cli/src/remote/remote.ts';
import { ErrorInfoSchema } from '../../gen/google/rpc/error_details_pb.js';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { openShell, type Shell } from '../support/cli.ts';

let refreshes = 0;
/** The errors of the command that `startCommand` has started. */
let printed = '';

/** Of the next call, which needs a recent sign-in. */
let onSignInAgain: (() => Promise<unknown>) | undefined;

const stepUp = () => {
  const value = { reason: 'step_up_required', domain: 'latchkey', metadata: {} };
  const details = [{ desc: ErrorInfoSchema, value }];
  return new ConnectError('Sign in again.', Code.FailedPrecondition, undefined, details);
};

/** Each token ends within a second, so that the next call refreshes the session. */
function routes({ rpc }: ConnectRouter): void {
  const session = (email: string) => ({
    accessToken: `token-${refreshes}`,
    expiresIn: 1,
    user: { email },
  });
  rpc(SessionService.method.signIn, async ({ email }, { requestHeader, responseHeader }) => {
    await onSignInAgain?.();
    onSignInAgain = undefined;
    // The earlier session ends.
    const cookie = `session=${email}${requestHeader.get('cookie') ? '-again' : ''}`;
    responseHeader.append('set-cookie', `${cookie}; Path=/; HttpOnly`);
    return session(email);
  });
  rpc(SessionService.method.refreshSession, (_, { requestHeader }) => {
    refreshes++;
    return session((requestHeader.get('cookie') ?? '').replace('session=', ''));
  });
  rpc(SessionService.method.signOut, () => ({}));
  rpc(DocumentService.method.listDocuments, () => {
    if (onSignInAgain !== undefined) throw stepUp();
    return {};
  });
}

const server = createServer(connectNodeAdapter({ routes }));
let address: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const workspace = (letter: string) => `ws_${letter.repeat(22)}`;

async function login(shell: Shell, email: string, ...words: string[]) {
  const all = [...words, 'login', '--server', address, '--email', email, '--password-stdin'];
  expect(await shell.run(all, 'password')).toMatchObject({ status: 0 });
}

/** Starts a command as the current profile. Returns its next call, which refreshes the session. */
async function startCommand({ env }: Shell, more: Record<string, string> = {}) {
  printed = '';
  const stderr = {
    write: (text: string) => {
      printed += text;
    },
  };
  const remote = await openRemote({ ...process, stderr, env: { ...env, ...more } } as never);
  return async () => {
    const before = refreshes;
    await remote.call(DocumentService.method.listDocuments, {});
    expect(refreshes, 'the session was refreshed').toBe(before + 1);
  };
}

async function stored(shell: Shell, file = 'profile.json') {
  const text = await readFile(path.join(shell.home, 'config/latchkey', file), 'utf8').catch(
    () => '{}',
  );
  const { workspaceId, credential } = JSON.parse(text);
  return { email: credential?.email, token: credential?.token, workspaceId };
}

test('a refreshed session keeps its new token, and the workspace of the profile', async () => {
  const shell = await openShell();
  await login(shell, 'ada@example.com');
  const before = await stored(shell);
  const call = await startCommand(shell, { LATCHKEY_WORKSPACE_ID: workspace('B') });
  await call();
  const { email, token, workspaceId } = await stored(shell);
  expect([email, workspaceId]).toEqual(['ada@example.com', undefined]);
  expect(token).not.toBe(before.token);
});

test('a command that still runs does not undo a later login', async () => {
  const shell = await openShell();
  await login(shell, 'ada@example.com');
  const call = await startCommand(shell);
  await login(shell, 'bob@example.com');
  await call();
  expect((await stored(shell)).email).toBe('bob@example.com');
});

test('a command that still runs does not undo a logout', async () => {
  const shell = await openShell();
  await login(shell, 'ada@example.com');
  const call = await startCommand(shell);
  expect(await shell.run(['logout'])).toMatchObject({ status: 0 });
  await call();
  expect((await stored(shell)).email).toBeUndefined();
});

test('a command that still runs does not change the profile that is chosen later', async () => {
  const shell = await openShell();
  await login(shell, 'ada@example.com');
  await login(shell, 'bob@example.com', '--profile', 'bob');
  const call = await startCommand(shell);
  expect(await shell.run(['profiles', 'use', 'bob'])).toMatchObject({ status: 0 });
  await call();
  expect((await stored(shell, 'profiles/bob.json')).email).toBe('bob@example.com');
});

const isUnstored = 'The session was not stored in the profile: ';
const profileOf = (shell: Shell) => path.join(shell.home, 'config/latchkey/profile.json');

test('a command goes on with a refreshed session if the profile cannot be read', async () => {
  const shell = await openShell();
  await login(shell, 'ada@example.com');
  const file = profileOf(shell);
  const text = await readFile(file);
  const call = await startCommand(shell);
  const faults: [prepare: () => Promise<unknown>, reason: string][] = [
    [() => chmod(file, 0o644), `Other users can read ${file}: run chmod 600 ${file}`],
    [() => rm(file).then(() => writeFile(file, '{', { mode: 0o600 })), `${file} is damaged.`],
    [() => rm(file).then(() => mkdir(file, { mode: 0o700 })), `${file}: EISDIR`],
  ];
  for (const [prepare, reason] of faults) {
    await prepare();
    printed = '';
    await call();
    expect(printed).toContain(isUnstored + reason);
  }
  await rm(file, { recursive: true });
  await writeFile(file, text, { mode: 0o600 });
  printed = '';
  await call();
  expect(printed).toBe('');
  expect((await stored(shell)).token).toBe(`token-${refreshes}`);
});

test('a command goes on with a refreshed session if the profile cannot be written', async () => {
  const shell = await openShell();
  await login(shell, 'ada@example.com');
  const text = await readFile(profileOf(shell));
  // Linux accepts the path of the profile, but not the longer one of the file that replaces it.
  const folders = [shell.home, ...Array(22).fill('f'.repeat(184))].join('/').slice(0, 4050);
  shell.env.XDG_CONFIG_HOME = folders;
  await mkdir(path.join(folders, 'latchkey'), { recursive: true });
  await writeFile(path.join(folders, 'latchkey/profile.json'), text, { mode: 0o600 });
  const call = await startCommand(shell);
  for (const _ of [1, 2]) {
    printed = '';
    await call();
    expect(printed).toContain(`${isUnstored}The profile was not saved: ENAMETOOLONG`);
  }
  for (const words of [['whoami'], ['token']]) {
    const stderr = expect.stringContaining(isUnstored);
    expect(await shell.run(words), words.join(' ')).toMatchObject({ status: 0, stderr });
  }
});

test('a command says that the profile has an ended session after a sign-in', async () => {
  const shell = await openShell();
  await login(shell, 'ada@example.com');
  onSignInAgain = () => chmod(profileOf(shell), 0o644);
  const words = ['documents', 'list', '--workspace', workspace('A')];
  const { status, text } = await shell.runOnTerminal(words, [
    ['Password: ', 'password\r'],
    ['recovery code', '\r'],
  ]);
  expect(text).toContain(`${isUnstored}Other users can read`);
  expect(text).toContain('The session of the profile has ended. Run: latchkey login\n');
  expect(status).toBe(0);
});
