// Commands that call a server which attacks the shell, the disk and the clipboard of its caller.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AudienceService } from '../../gen/latchkey/identity/v1/audience_pb.js';
import { ClientService } from '../../gen/latchkey/identity/v1/client_pb.js';
import { CustomerService } from '../../gen/latchkey/identity/v1/customer_pb.js';
import { ResourceKind, SearchService } from '../../gen/latchkey/identity/v1/search_pb.js';
import { SigningKeyService } from '../../gen/latchkey/identity/v1/signing_key_pb.js';
import { TrustedIssuerService } from '../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { LinkService } from '../../gen/latchkey/sharing/v1/link_pb.js';
import { openShell } from '../support/cli.ts';

/** Sets the title of the terminal, and starts another line. */
const hostile = 'x\u001b]0;x\u0007\ny';
const dangerous = /[^\P{Cc}\n\t]/u;

const kind = ResourceKind.CLIENT;
const id = `cli_${'A'.repeat(22)}`;

/** The words of the completion, the client that is created, and the body of an answer. */
const state = { results: [] as { id: string; name: string }[], clientId: id, body: '' };

function routes({ rpc }: ConnectRouter): void {
  rpc(SearchService.method.search, () => ({
    results: state.results.map((one) => ({ ...one, kind })),
  }));
  rpc(SigningKeyService.method.listSigningKeys, () => ({
    signingKeys: ['$(id)', 'a\nb', 'key-1'].map((kid) => ({ kid, alg: hostile })),
  }));
  rpc(LinkService.method.createLink, () => ({ link: { id: 'lnk_1', url: hostile } }));
  rpc(LinkService.method.batchCreateLinks, () => ({
    links: [{ id: 'lnk_1', url: hostile, recipient: hostile }],
  }));
  rpc(LinkService.method.listLinks, ({ pageToken }) => ({
    links: [{ id: 'lnk_1', url: 'https://a.example/s/a' }],
    nextPageToken: pageToken === 'again' ? 'and again' : 'again',
  }));
  rpc(AudienceService.method.listAudiences, () => ({}));
  rpc(CustomerService.method.listCustomers, () => ({}));
  rpc(TrustedIssuerService.method.listTrustedIssuers, () => ({}));
  rpc(ClientService.method.listClients, () => ({}));
  rpc(ClientService.method.createClient, ({ externalId, name }) => ({
    client: { id: state.clientId, externalId, name },
    clientSecret: hostile,
  }));
}

const server = createServer(
  connectNodeAdapter({
    routes,
    fallback: (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(state.body);
    },
  }),
);
let address: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const openCaller = () => openShell({ LATCHKEY_BASE_URL: address, LATCHKEY_TOKEN: 'a' });

test('the completion offers no word that a shell would run', async () => {
  const shell = await openCaller();
  for (const shellName of ['bash', 'zsh', 'fish']) {
    const ids = ['cli_$(id)', 'cli_`id`', 'cli_a;id', 'cli_a\nid', 'cli_a id', '-f', '~', '', id];
    state.results = ids.map((one) => ({ id: one, name: '' }));
    const words = ['completion', shellName, '--', 'clients', 'get', 'cli_'];
    expect((await shell.run(words)).stdout).toBe(`${id}\n`);
  }
  // Bash inserts the common start of all lines, which must not contain a part of a name.
  state.results = [1, 2].map((number) => ({ id, name: `$(id) ${number}` }));
  const { stdout } = await shell.run(['completion', 'bash', '--', 'clients', 'get', 'cli_']);
  expect(stdout).toBe(`${id}\n`);
  const keys = await shell.run(['completion', 'zsh', '--', 'keys', 'revoke', '']);
  expect(keys.stdout).toMatch(/^key-1(?:\t[^\n\p{Cc}]*)?\n$/u);
});

test('the links for recipients cannot control the terminal', async () => {
  const shell = await openCaller();
  const words = ['links', 'create-for', 'doc_1', '-', '--workspace', `ws_${'A'.repeat(22)}`];
  const ran = await shell.run(words, 'ada@example.com');
  expect(ran).toMatchObject({ status: 0, stdout: 'x y\tx y\n' });
});

test('a list that never ends is an error', async () => {
  const shell = await openCaller();
  const workspace = ['--workspace', `ws_${'A'.repeat(22)}`];
  for (const words of [
    ['links', 'list', '--all'],
    ['links', 'get', 'https://a.example/s/other'],
  ]) {
    const ran = await shell.run([...words, ...workspace]);
    expect(ran.status).toBe(69);
    expect(ran.stderr).toContain('(The server returned the same page again.)');
  }
});

test('a copied address has one line without control characters', async () => {
  const shell = await openCaller();
  const copied = path.join(shell.home, 'copied');
  const script = `#!/bin/sh\nexec /bin/cat > '${copied}'\n`;
  await writeFile(path.join(shell.home, 'wl-copy'), script, { mode: 0o700 });
  shell.env.PATH = shell.home;
  const workspace = ['--workspace', `ws_${'A'.repeat(22)}`];
  const ran = await shell.run(['links', 'create', 'doc_1', '--copy', '--json', ...workspace]);
  expect(ran.status).toBe(0);
  expect(await readFile(copied, 'utf8')).toBe('x y');
});

test('an answer that is not JSON cannot control the terminal', async () => {
  const shell = await openCaller();
  state.body = `\u001b]0;x\u0007`;
  const { status, text } = await shell.runOnTerminal(['api', 'GET', '/clients']);
  expect(text).not.toMatch(dangerous);
  expect(text).toContain(`Cannot use ${address}: the answer does not come from Latchkey`);
  expect(status).toBe(69);
});

test('apply writes and prints secrets only where and as its caller expects', async () => {
  const shell = await openCaller();
  const externalId = 'e'.repeat(128).replaceAll('e', '/');
  const files = path.join(shell.home, 'files');
  await mkdir(files);
  const text = `clients: [{external_id: '${externalId}', name: a}]`;
  await writeFile(path.join(files, 'a.yaml'), text);
  const printed = await shell.run(['apply', '-f', 'files', '--secrets-dir', '-']);
  expect(printed.stdout).toContain(`\n${externalId}\t${id}\tx y\n`);
  state.clientId = '/../../escaped';
  const secretsFolder = path.join(shell.home, 'a/secrets');
  await shell.run(['apply', '-f', 'files', '--secrets-dir', secretsFolder]);
  expect(await readdir(path.join(shell.home, 'a'))).toEqual(['secrets']);
  expect(await readdir(secretsFolder)).toEqual([expect.stringMatching(/^client-.+\.secret$/)]);
  expect(await readdir(shell.home)).not.toContain('escaped.secret');
});
