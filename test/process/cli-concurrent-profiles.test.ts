// A command that still runs when another one changes the profile, such as `audit list --follow`.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRemote } from '../../clients/cli/src/remote/remote.ts';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { openShell, type Shell } from '../support/cli.ts';

let refreshes = 0;

/** Each token ends within a second, so that the next call refreshes the session. */
function routes({ rpc }: ConnectRouter): void {
  const session = (email: string) => ({
    accessToken: `token-${refreshes}`,
    expiresIn: 1,
    user: { email },
  });
  rpc(SessionService.method.signIn, ({ email }, { responseHeader }) => {
    responseHeader.append('set-cookie', `session=${email}; Path=/; HttpOnly`);
    return session(email);
  });
  rpc(SessionService.method.refreshSession, (_, { requestHeader }) => {
    refreshes++;
    return session((requestHeader.get('cookie') ?? '').replace('session=', ''));
  });
  rpc(SessionService.method.signOut, () => ({}));
  rpc(DocumentService.method.listDocuments, () => ({}));
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
  const remote = await openRemote({ ...process, env: { ...env, ...more } } as never);
  return async () => {
    const before = refreshes;
    await remote.call(DocumentService.method.listDocuments, {});
    expect(refreshes, 'the session was refreshed').toBeGreaterThan(before);
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
