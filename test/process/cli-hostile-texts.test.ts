// Commands that call a server whose texts would control the terminal.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ErrorInfoSchema, RequestInfoSchema } from '../../gen/google/rpc/error_details_pb.js';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { openShell, type Shell } from '../support/cli.ts';
import type { Ran } from '../support/program.ts';
import { itHoldsFor } from '../support/rule.ts';

/** Sets the title of the terminal, clears it, and changes the direction of the text. */
const hostile = 'x\u001b]0;x\u0007\u009b2Jy\u202ez';
const dangerous = /[^\P{Cc}\n\t]|\u202e/u;

const session = {
  accessToken: hostile,
  expiresIn: 300,
  scope: hostile,
  user: { id: hostile, email: `ada@example.com${hostile}`, name: hostile },
};
const document = { id: `doc_${hostile}`, name: hostile };

function refuse(): never {
  throw new ConnectError(hostile, Code.InvalidArgument, undefined, [
    { desc: ErrorInfoSchema, value: { reason: hostile, domain: 'latchkey' } },
    { desc: RequestInfoSchema, value: { requestId: hostile } },
  ]);
}

function routes(router: ConnectRouter): void {
  const link = (url: string) => ({ link: { id: hostile, url } });
  router.rpc(SessionService.method.signIn, () => session);
  router.rpc(SessionService.method.refreshSession, () => session);
  router.rpc(SessionService.method.signOut, refuse);
  router.rpc(IssuanceService.method.issueToken, () => session);
  router.rpc(DocumentService.method.uploadDocument, async () => ({ document }));
  router.rpc(DocumentService.method.deleteDocument, refuse);
  router.rpc(DocumentService.method.listDocuments, () => ({
    documents: [document],
    nextPageToken: hostile,
  }));
  router.rpc(LinkService.method.getLink, () => link(`http://127.0.0.1/s/${hostile}`));
  router.rpc(LinkService.method.createLink, ({ documentId }) => {
    return documentId.startsWith('doc_') ? link(`http://127.0.0.1/s/${hostile}`) : refuse();
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

const shellWith = (env: Record<string, string>): Promise<Shell> =>
  openShell({ LATCHKEY_BASE_URL: address, ...env });

function expectHarmless({ stdout, stderr }: Ran): void {
  expect(stdout).not.toMatch(dangerous);
  expect(stderr).not.toMatch(dangerous);
}

describe('a text of the server cannot control the terminal in', () => {
  itHoldsFor([
    ['a page token', ['documents', 'list'], 0, '--page-token xy z\n'],
    ['an error', ['documents', 'delete', 'doc_1', '--yes'], 65, '(invalid_argument, request xy z)'],
    ['a document id', ['upload', '-', '--name', 'a'], 0, 'doc_xy z\n'],
    ['the address of a new link', ['upload', '-', '--name', 'a', '--share'], 0, '/s/xy z\n'],
    ['an opened address', ['open', 'lnk_1', '--print'], 0, '/s/x%1B]0;x%07%C2%9B2Jy%E2%80%AEz\n'],
  ])('are harmless in a terminal', async (_name, words, status, text) => {
    const ran = await (await shellWith({ LATCHKEY_API_KEY: 'lk_wk_a' })).run(words, 'text');
    expectHarmless(ran);
    expect(ran.status).toBe(status);
    expect(ran.stdout + ran.stderr).toContain(text);
  });

  test('a token', async () => {
    const shell = await shellWith({ LATCHKEY_CLIENT_ID: 'a', LATCHKEY_CLIENT_SECRET: 'b' });
    const ran = await shell.run(['token', '--scope', 'tokens:read']);
    expect(ran).toEqual({ status: 0, stdout: 'xy z\n', stderr: '' });
  });

  test('the email address and the reason of a session', async () => {
    const shell = await shellWith({});
    const words = ['login', '--email', 'ada@example.com', '--password-stdin'];
    const login = await shell.run(words, 'password');
    expect(login.stderr).toBe(`Signed in to ${address} as ada@example.comxy z.\n`);
    const logout = await shell.run(['logout']);
    expectHarmless(logout);
    expect(logout.stderr).toContain(
      'the session was not ended: xy z (invalid_argument, request xy z)',
    );
  });
});

describe('JSON has an escape for each dangerous character of', () => {
  itHoldsFor([
    ['a list', ['documents', 'list', '--json']],
    ['an object', ['upload', '-', '--name', 'a', '--json']],
  ])('are harmless in each form of the output', async (_name, words) => {
    const ran = await (await shellWith({ LATCHKEY_API_KEY: 'lk_wk_a' })).run(words, 'text');
    expectHarmless(ran);
    const data = JSON.parse(ran.stdout);
    expect(data.document ?? data).toMatchObject({ name: hostile });
  });

  test('an object on a terminal, which is indented', async () => {
    const shell = await shellWith({ LATCHKEY_API_KEY: 'lk_wk_a' });
    const { text } = await shell.runOnTerminal(['links', 'get', 'lnk_1', '--json']);
    expect(text).not.toMatch(dangerous);
    expect(text).toMatch(/^\{\n {2}"/);
    expect(JSON.parse(text)).toMatchObject({ id: hostile });
  });

  test('an error', async () => {
    const shell = await shellWith({ LATCHKEY_API_KEY: 'lk_wk_a' });
    const ran = await shell.run(['links', 'create', 'other', '--json']);
    expectHarmless(ran);
    expect(JSON.parse(ran.stderr)).toMatchObject({
      error: { code: 'invalid_argument', message: 'xy z', request_id: 'xy z' },
    });
  });
});
