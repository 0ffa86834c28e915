// `latchkey api`, and the list that follows the audit log.

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openShell, openStaffShell, openWorkspaceShell, startServer } from '../support/cli.ts';
import { itHoldsFor } from '../support/rule.ts';
import { useStarted } from '../support/use-started.ts';

const program = useStarted(() => startServer());

const staffShell = () => openStaffShell(program);

const newClient = (name: string) => JSON.stringify({ name, scopes: ['tokens:read'] });

test('a request creates a client, changes it and reads it', async () => {
  const staff = await staffShell();
  const words = ['api', 'POST', '/clients', '--data', '-', '--idempotency-key', 'once'];
  const created = await staff.run(words, newClient('by request'));
  const { client } = JSON.parse(created.stdout);
  expect(client).toMatchObject({ name: 'by request', scopes: ['tokens:read'] });
  expect((await staff.run(words, newClient('by request'))).stdout).toBe(created.stdout);
  const path = `/clients/${client.id}`;
  const changed = await staff.run(['api', 'PATCH', path, '--data', '{"name":"changed"}']);
  expect(JSON.parse(changed.stdout)).toMatchObject({ id: client.id, name: 'changed' });
  const shown = await staff.runOnTerminal(['api', 'GET', path]);
  expect(shown.text).toContain('\n  "name": "changed"');
});

test('a request uses the credential of a client, a customer or a workspace', async () => {
  const { CLIENT_ID, CLIENT_SECRET } = program.env;
  const client = await openShell({
    LATCHKEY_BASE_URL: program.origin,
    LATCHKEY_CLIENT_ID: CLIENT_ID,
    LATCHKEY_CLIENT_SECRET: CLIENT_SECRET,
  });
  const narrow = ['api', 'GET', '/clients', '--scope', 'accounts:read'];
  expect(await client.run(narrow)).toMatchObject({ status: 77, stdout: '' });
  const workspace = await openWorkspaceShell(program);
  const listed = await workspace.run(['api', 'GET', '/api/v1/documents?page_size=1']);
  expect(JSON.parse(listed.stdout)).toMatchObject({ documents: expect.any(Array) });
});

itHoldsFor([
  ['FETCH /clients', 2, 'GET, POST, PUT, PATCH, DELETE'],
  ['GET clients', 2, 'must begin with a slash'],
  ['GET .example.com/clients', 2, 'must begin with a slash'],
  ['GET @example.com/clients', 2, 'must begin with a slash'],
  ['GET /clients --data -', 2, 'has no body'],
  ['POST /clients --data @missing.json', 66, 'no such file'],
  ['GET /nowhere', 66, 'not_found'],
  ['GET /clients?page_size=x', 65, 'page_size'],
  ['POST /clients --data -', 65, 'invalid_argument'],
  ['GET /clients --header x', 2, 'must be written as'],
  ['GET /clients --header Authorization:x', 2, 'cannot be set'],
  ['GET /clients --header Host:example.com', 2, 'cannot be set'],
  ['POST /clients --data - --header Content-Length:1', 2, 'cannot be set'],
  ['POST /clients --data - --header Transfer-Encoding:chunked', 2, 'cannot be set'],
] as const)(
  'a request that cannot be sent or is refused has a clear error',
  async (line, status, says) => {
    const staff = await staffShell();
    const ran = await staff.run(['api', ...line.split(' ')], '{');
    expect(ran).toMatchObject({ status, stdout: '' });
    expect(ran.stderr).toContain(says);
  },
);

/** A shell whose requests another server answers. */
async function openForeignShell(answer: RequestListener) {
  const other = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    other.closeAllConnections();
    other.close();
  });
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  return openShell({
    LATCHKEY_BASE_URL: `http://127.0.0.1:${port}`,
    LATCHKEY_TOKEN: 'secret',
  });
}

test('a request has the length of its data', async () => {
  const shell = await openForeignShell(async (request, response) => {
    response.end(`${request.headers['content-length']} ${await text(request)}`);
  });
  for (const method of ['POST', 'DELETE']) {
    const words = ['api', method, '/clients', '--data', '{"a":1}'];
    expect(await shell.run(words)).toMatchObject({ status: 0, stdout: '7 {"a":1}' });
  }
  expect(await shell.run(['api', 'POST', '/clients'])).toMatchObject({ stdout: '0 ' });
});

test('an answer that ends too early is an error', async () => {
  const shell = await openForeignShell((_, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('half');
    setTimeout(() => response.destroy(), 100);
  });
  const ran = await shell.run(['api', 'GET', '/clients']);
  expect(ran).toMatchObject({ status: 69, stdout: 'half' });
  expect(ran.stderr).toMatch(/^The connection to http:\S+ failed/);
});

test('a redirect gets no second request, and no credential', async () => {
  const urls: unknown[] = [];
  const shell = await openForeignShell((request, response) => {
    urls.push(request.url);
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  const ran = await shell.run(['api', 'GET', '/clients']);
  expect(ran).toMatchObject({ status: 69, stdout: '' });
  expect(ran.stderr).not.toContain('secret');
  expect(urls).toEqual(['/clients']);
});

test('the audit log is followed until the command is interrupted', async () => {
  const staff = await staffShell();
  const words = ['audit', 'list', '--follow', '--action', 'ClientService.CreateClient', '--json'];
  const follow = staff.start(words);
  const names = () =>
    follow
      .stdout()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).target_name);
  const before = names().length;
  for (const name of ['first', 'second']) {
    await staff.run(['api', 'POST', '/clients', '--data', '-'], newClient(name));
    await expect.poll(() => names().at(-1), { timeout: 20_000 }).toBe(name);
  }
  expect(
    names()
      .slice(before)
      .filter((name) => name === 'first'),
  ).toHaveLength(1);
  follow.child.kill('SIGINT');
  expect(await follow.ended).toMatchObject({ status: 130 });
});
