// `apply` and `export`: the configuration of a server in files.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStaffShell, type Shell, startServer } from '../support/cli.ts';
import { startFront } from '../support/front.ts';
import { useStarted } from '../support/use-started.ts';

const program = useStarted(() => startServer());

const staffShell = () => openStaffShell(program);

/** Writes files into the folder `config` of the shell. */
async function writeConfig({ home }: Shell, files: Readonly<Record<string, string>>) {
  await mkdir(path.join(home, 'config-files'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await writeFile(path.join(home, 'config-files', name), text);
  }
}

const apply = (shell: Shell, ...words: string[]) =>
  shell.run(['apply', '-f', 'config-files', ...words]);

const json = (ran: { readonly stdout: string }) => JSON.parse(ran.stdout);

const whole = {
  'tokens.yaml': `
audiences:
  - external_id: payments
    identifier: https://payments.example
    name: Payments
trusted_issuers:
  - external_id: ci
    issuer: https://ci.example
    name: CI
    enabled: false
clients:
  - external_id: team/worker
    name: Worker
    scopes: [payments:write, payments:read]
    audiences: [payments]
    claims: {tenant: {name: acme}, plan: gold}
    token_seconds: 60
    may_act: [customer, 'client:frontend', 'customer:acme']
    federated_identities:
      - {trusted_issuer: ci, subject: 'repo:acme/*', claims: {ref: main}}
  - external_id: frontend
    name: Frontend
    disabled: true
`,
  'people.yml': `
customers:
  - external_id: acme
    name: Acme
    accounts: [acc_2, acc_1]
---
workspaces:
  - external_id: marketing
    name: Marketing
    quota: {documents_max: 5}
    brand: {accent_color: '#00AA11'}
    grace_days: 3
`,
};

test('files make a server as they say, and then nothing is different', async () => {
  const staff = await staffShell();
  await writeConfig(staff, whole);
  const dry = await apply(staff, '--dry-run');
  expect(dry.status, dry.stderr).toBe(3);
  expect(dry.stdout.split('\n').map((line) => line.split('\t').slice(0, 3).join(' '))).toEqual([
    ...['create audience payments', 'create trusted issuer ci', 'create customer acme'],
    ...['create client frontend', 'create client team/worker', 'create workspace marketing', ''],
  ]);
  // A secret would be lost.
  const careless = await apply(staff);
  expect(careless).toMatchObject({ status: 1, stderr: expect.stringContaining('--secrets-dir') });

  const first = await apply(staff, '--secrets-dir', 'secrets');
  expect(first.stderr).toContain('6 changed, 0 failed.');
  expect(first.status).toBe(2);
  expect(first.stdout + first.stderr).not.toContain('lk_cs_');
  const secrets = path.join(staff.home, 'secrets');
  const names = await readdir(secrets);
  expect(names.sort()).toEqual(['client-frontend.secret', 'client-team%2Fworker.secret']);
  const secret = path.join(secrets, 'client-team%2Fworker.secret');
  expect(await readFile(secret, 'utf8')).toMatch(/^lk_cs_\w+\n$/);
  expect((await stat(secret)).mode & 0o777).toBe(0o600);

  const second = await apply(staff);
  expect(second).toMatchObject({ status: 0, stdout: '', stderr: 'Nothing to change.\n' });
  expect(await apply(staff, '--dry-run', '--prune')).toMatchObject({ status: 0 });
  const ws = await staff.run(['workspaces', 'list', '--external-id', 'marketing', '--json']);
  expect(json(ws)).toMatchObject({
    ...{ quota: { documents_max: 5 }, brand: { accent_color: '#00aa11' }, grace_days: 3 },
  });

  // The export has the same form.
  expect(await staff.run(['export', 'exported'])).toMatchObject({ status: 0 });
  const again = await staff.run(['apply', '-f', 'exported', '--prune']);
  expect(again).toMatchObject({ status: 0, stderr: 'Nothing to change.\n' });
  const clients = await readFile(path.join(staff.home, 'exported', 'clients.yaml'), 'utf8');
  for (const name of ['client:frontend', 'customer:acme', 'disabled: true', '- payments\n']) {
    expect(clients).toContain(name);
  }
  expect((await staff.run(['export', 'exported'])).stderr).toContain('already exists');

  await changeAndPrune(staff);
});

async function changeAndPrune(staff: Shell): Promise<void> {
  const changed = whole['tokens.yaml']
    .replace('scopes: [payments:write, payments:read]', 'scopes: [payments:read]')
    .replace('    claims: {tenant: {name: acme}, plan: gold}\n', '')
    .replace('ref: main}}', 'ref: next}}')
    .replace('    disabled: true\n', '');
  await writeConfig(staff, { 'tokens.yaml': changed, 'people.yml': 'customers: []\n' });
  const refused = await apply(staff, '--prune');
  expect(refused).toMatchObject({ status: 1 });
  expect(refused.stderr).toMatch(
    /tokens\.yaml:\d+: clients\[0\]\.may_act: no file names the customer acme, which --prune/,
  );
  const without = changed.replace(", 'customer:acme'", '').replace('trusted_issuer: ci, ', 'x: 1,');
  await writeConfig(staff, { 'tokens.yaml': without });
  expect((await apply(staff)).stderr).toContain('.federated_identities: must be a list of maps');
  await writeConfig(staff, { 'tokens.yaml': changed.replace(", 'customer:acme'", '') });

  const pruned = await apply(staff, '--prune', '--json');
  expect(json(pruned).changes).toEqual([
    { action: 'update', kind: 'client', external_id: 'frontend', fields: ['disabled'] },
    {
      ...{ action: 'update', kind: 'client', external_id: 'team/worker' },
      fields: ['scopes', 'claims', 'may_act', 'federated_identities'],
    },
    { action: 'disable', kind: 'customer', external_id: 'acme', fields: [] },
  ]);
  expect(pruned.status).toBe(2);
  expect(await apply(staff, '--prune')).toMatchObject({ status: 0 });
}

test('1,000 clients take a request each, and then nothing is different', async () => {
  const own = await startServer();
  onTestFinished(() => own.remove());
  const front = await startFront(own.origin);
  onTestFinished(() => front.close());
  const staff = await openStaffShell({ env: { ...own.env, LATCHKEY_BASE_URL: front.url } });
  const clients = Array.from(
    { length: 1_000 },
    (_, i) => `  - {external_id: worker-${i}, name: Worker ${i}, audiences: [payments]}\n`,
  );
  const audience = 'audiences:\n  - {external_id: payments, identifier: "urn:p", name: Payments}\n';
  await writeConfig(staff, { 'all.yaml': `${audience}clients:\n${clients.join('')}` });
  const counted = async (...words: string[]) => {
    const before = front.requests.length;
    const { status, stderr } = await apply(staff, ...words);
    return { status, stderr, requests: front.requests.length - before };
  };
  // docs/guides/as-code.md names both numbers.
  expect(await counted('--secrets-dir', 'secrets')).toEqual({
    ...{ status: 2, stderr: '1001 changed, 0 failed.\n', requests: 1_005 },
  });
  expect(await counted()).toEqual({ status: 0, stderr: 'Nothing to change.\n', requests: 9 });
});

test('a change that fails does not stop the others', async () => {
  const staff = await staffShell();
  await writeConfig(staff, {
    'a.yaml': `
audiences:
  - {external_id: broken, identifier: 'not a uri', name: Broken}
  - {external_id: fine, identifier: 'urn:fine', name: Fine}
clients:
  - {external_id: needs-broken, name: A, audiences: [broken]}
  - {external_id: needs-fine, name: B, audiences: [fine]}
`,
  });
  const ran = await apply(staff, '--secrets-dir', '-');
  expect(ran.status).toBe(1);
  expect(ran.stderr).toMatch(/a\.yaml:3: audience broken: .*identifier/);
  expect(ran.stderr).toContain('a.yaml:6: client needs-broken: broken was not created');
  expect(ran.stderr).toContain('2 changed, 2 failed.');
  expect(ran.stdout).toMatch(/\nneeds-fine\tcli_\w+\tlk_cs_\w+\n$/);
  expect(ran.stderr).not.toContain('lk_cs_');
  const rest = await apply(staff, '--dry-run', '--json');
  expect(json(rest).changes.map((one: { external_id: string }) => one.external_id)).toEqual([
    ...['broken', 'needs-broken'],
  ]);
});

test('a deleted client is reported before any change, and --prune ignores it', async () => {
  const staff = await staffShell();
  const rest = `clients:\n  - {external_id: other, name: Other, claims: {note: missing link}}\n`;
  const file = `${rest}  - {external_id: gone, name: missing gone}\n`;
  await writeConfig(staff, { 'a.yaml': file });
  const first = await apply(staff, '--secrets-dir', 'secrets');
  expect(first.status, first.stderr).toBe(2);
  const { id } = json(await staff.run(['clients', 'list', '--external-id', 'gone', '--json']));
  expect(await staff.run(['clients', 'delete', id])).toMatchObject({ status: 0 });

  await writeConfig(staff, { 'a.yaml': file.replace('Other', 'Changed') });
  expect(await apply(staff, '--secrets-dir', 'secrets')).toMatchObject({
    ...{ status: 1, stdout: '' },
    stderr: expect.stringContaining(
      'a.yaml:3: clients[1].external_id: the client gone is deleted. Undelete it first.',
    ),
  });
  await writeConfig(staff, { 'a.yaml': rest });
  expect(json(await apply(staff, '--dry-run', '--prune', '--json')).changes).not.toContainEqual(
    expect.objectContaining({ kind: 'client', external_id: 'gone' }),
  );
  expect(await staff.run(['clients', 'undelete', id])).toMatchObject({ status: 0 });
  await writeConfig(staff, { 'a.yaml': file });
  expect(await apply(staff)).toMatchObject({ status: 0 });
});

test('every problem of the files is named before any change', async () => {
  const staff = await staffShell();
  await writeConfig(staff, {
    'a.yaml': `
clients:
  - external_id: one
    name: One
    scope: [a:read]
    audiences: [nowhere]
    may_act: ['client:two']
  - {external_id: two, name: Two, may_act: ['client:one'], token_seconds: fast}
  - {name: Three}
  - {external_id: 'a b', name: Four}
  - {external_id: five}
servers: []
audiences: {}
`,
    'b.yaml': 'clients:\n  - {external_id: one, name: Again}\n',
    'c.yaml': 'clients: [&a {external_id: x, name: X}, *a]\n',
    'd.yaml': 'clients: [\n',
    'e.yaml': 'customers:\n  - {external_id: e, name: A, name: B}\n',
  });
  const ran = await apply(staff, '--secrets-dir', 'secrets');
  expect(ran).toMatchObject({ status: 1, stdout: '' });
  for (const problem of [
    'a.yaml:5: clients[0].scope: is not a field',
    'a.yaml:8: clients[1].token_seconds: must be a whole number',
    'a.yaml:9: clients[2].external_id: is missing',
    'a.yaml:10: clients[3].external_id: must be a text of 1 to 128 characters without spaces',
    'a.yaml:11: clients[4].name: is missing',
    'a.yaml:12: servers: is not a kind of resource',
    'a.yaml:13: audiences: must be a list of resources',
    'b.yaml:2: clients[0].external_id: one is also that of a.yaml:3: clients[0]',
    'c.yaml:1: an alias is not supported',
    'd.yaml:',
    'e.yaml:2: Map keys must be unique',
    'Nothing was changed.',
  ]) {
    expect(ran.stderr).toContain(problem);
  }
});

test('references to nothing, cycles and fixed fields are refused before any change', async () => {
  const staff = await staffShell();
  const identifier = 'urn:fixed';
  const audience = (text: string) =>
    `audiences:\n  - {external_id: fixed, identifier: '${text}', name: A}\n`;
  await writeConfig(staff, { 'fixed.yaml': audience(identifier) });
  expect((await apply(staff)).status).toBe(2);
  await writeConfig(staff, {
    'fixed.yaml': audience('urn:other'),
    'a.yaml': `
clients:
  - external_id: one
    name: One
    audiences: [nowhere]
    may_act: ['client:two']
  - {external_id: two, name: Two, may_act: ['client:one']}
workspaces:
  - {external_id: w, name: W, quota: {byte_max: 1}}
`,
  });
  const ran = await apply(staff, '--secrets-dir', 'secrets');
  expect(ran).toMatchObject({ status: 1, stdout: '' });
  for (const problem of [
    'a.yaml:3: clients[0].audiences: there is no audience with the external id nowhere',
    'a.yaml:3: clients[0].may_act: new clients name each other: one → two → one',
    'fixed.yaml:2: audiences[0].identifier: cannot be changed: on the server it is "urn:fixed"',
    'a.yaml:9: workspaces[0].quota: key "byte_max" is unknown',
  ]) {
    expect(ran.stderr).toContain(problem);
  }
  // Wrong arguments have the status of errors, because 2 means that something was changed.
  expect((await staff.run(['apply', '--nonsense'])).status).toBe(1);
  expect((await staff.run(['apply'])).status).toBe(1);
  expect((await staff.run(['apply', '-f', 'no-folder'])).status).toBe(1);
});
