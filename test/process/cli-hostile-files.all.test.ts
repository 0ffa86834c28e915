// Files of an attacker, such as those of a pull request: each failure is one line with the reason,
// and the rest of the file is still read.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openStaffShell, type Shell, startServer } from '../support/cli.ts';
import { useStarted } from '../support/use-started.ts';

const program = useStarted(() => startServer());

const staffShell = () => openStaffShell(program);

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

const loneSurrogate = '\ud800';

const client = (id: string, fields: object = {}) => ({
  client_id: id,
  grant_types: ['client_credentials'],
  ...fields,
});

const withKey = (id: string, jwk: object) =>
  client(id, { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } });

async function importHydra(shell: Shell, text: string, ...words: string[]) {
  return shell.run(['import', 'hydra', '-', '--secrets-dir', 'secrets', ...words], text);
}

async function applyText(shell: Shell, text: string, ...words: string[]) {
  await writeFile(path.join(shell.home, 'clients.yaml'), text);
  return shell.run(['apply', '-f', '.', '--secrets-dir', 'secrets', ...words]);
}

test('an import names a field with values that are nested too deeply to read', async () => {
  const shell = await staffShell();
  const members = '"client_id":"deep","grant_types":["client_credentials"]';
  const lifespan = '"client_credentials_grant_access_token_lifespan"';
  const lists = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const text = `[{${members},"more":${nested(100_000)},${lifespan}:${lists}}]`;
  const dry = await importHydra(shell, text, '--dry-run');
  expect(dry).toMatchObject({ status: 3 });
  expect(dry.stderr).toContain(
    'clients[0] deep: not carried over: more, ' +
      'client_credentials_grant_access_token_lifespan (1 second to 1 hour), secret',
  );
});

test('an import reports a client whose values cannot be sent, and goes on', async () => {
  const shell = await staffShell();
  const all = [
    withKey('number-as-key-type', { kty: 5 }),
    withKey('object-as-modulus', { kty: 'RSA', n: {}, e: 'AQAB' }),
    client('half-a-character', { client_secret: `a secret with ${loneSurrogate}` }),
    client('last'),
  ];
  const { status, stdout, stderr } = await importHydra(shell, JSON.stringify(all));
  expect(status).toBe(1);
  expect(stdout.match(/^create/gm)).toHaveLength(4);
  expect(stderr.split('\n').slice(-5)).toEqual([
    'The standard input: client number-as-key-type: kty: expected string, got 5',
    'The standard input: client object-as-modulus: n: expected string, got object',
    'The standard input: client half-a-character: value: expected string: invalid UTF8',
    '1 changed, 3 failed.',
    '',
  ]);
});

test('apply reports a value that cannot be sent, and goes on', async () => {
  const shell = await staffShell();
  const lines = [
    'customers:',
    `  - { external_id: bad, name: Bad, accounts: ["\\uD800"] }`,
    '  - { external_id: good, name: Good }',
  ];
  const { status, stderr } = await applyText(shell, lines.join('\n'));
  expect(status).toBe(1);
  expect(stderr.split('\n')).toEqual([
    expect.stringMatching(/^clients\.yaml:2: customer bad: account_ids: .*invalid UTF8/),
    '1 changed, 1 failed.',
    '',
  ]);
});

const chain = (length: number, last: string, ...others: string[]) => {
  const items = Array.from({ length }, (_, i) => {
    const next = i + 1 < length ? `client:c${i + 1}` : last;
    return `  - { external_id: c${i}, name: C, may_act: ${JSON.stringify([...others, next])} }`;
  });
  return ['clients:', ...items].join('\n');
};

test('apply orders a chain of 20,000 clients that name each other', {
  timeout: 60_000,
}, async () => {
  const shell = await staffShell();
  const dry = await applyText(shell, chain(20_000, 'service'), '--dry-run');
  expect(dry).toMatchObject({ status: 3, stderr: 'Nothing was changed.\n' });
  const created = dry.stdout.split('\n').map((line) => line.split('\t')[2]);
  expect([created[0], created[19_999]]).toEqual(['c19999', 'c0']);
});

test('apply shortens a cycle of 20,000 clients', { timeout: 60_000 }, async () => {
  const shell = await staffShell();
  const { status, stderr } = await applyText(shell, chain(20_000, 'client:c0'));
  expect(status).toBe(1);
  const names = 'c0 → c1 → c2 → c3 → c4 → … → c19996 → c19997 → c19998 → c19999 → c0';
  expect(stderr.split('\n')[0]).toBe(
    `clients.yaml:2: clients[0].may_act: new clients name each other: ${names}`,
  );
});

test('apply reports only some of 20,000 cycles', { timeout: 60_000 }, async () => {
  const shell = await staffShell();
  const file = chain(20_000, 'client:c0', 'client:c0');
  const { status, stderr } = await applyText(shell, file);
  expect(status).toBe(1);
  const cycles = stderr.split('\n').filter((line) => line.includes('name each other'));
  expect(cycles).toHaveLength(20);
});

test('a command reports a file whose JSON the request cannot have', async () => {
  const shell = await staffShell();
  const file = path.join(shell.home, 'roles.json');
  const words = ['identity-providers', 'create', 'A', 'https://a.example', '--client-id', 'a'];
  for (const [text, problem] of [
    ['{"a":1}', /^role_mappings: /],
    ['[5]', /^RoleMapping: 5/],
    ['[{"group":"\\ud800"}]', /invalid UTF8/],
  ] as const) {
    await writeFile(file, text);
    const options = ['--client-secret', '--domain', 'example.com', '--role-mappings', file];
    const { status, stderr } = await shell.run([...words, ...options], 'secret\n');
    expect(stderr).toMatch(problem);
    expect(status).toBe(1);
    expect(stderr).not.toContain('    at ');
  }
});

test('a federated identity that the service refuses does not end the other ones', async () => {
  const shell = await staffShell();
  const issuer = '{external_id: ci, issuer: "https://ci.example", enabled: false}';
  const file = (...subjects: string[]) => {
    const identities = subjects.map((one) => `{trusted_issuer: ci, subject: "${one}"}`).join(', ');
    const worker = `{external_id: ci-worker, name: Worker, federated_identities: [${identities}]}`;
    return `trusted_issuers:\n  - ${issuer}\nclients:\n  - ${worker}\n`;
  };
  // The same identity twice is one identity.
  expect(await applyText(shell, file('repo:a', 'repo:a'))).toMatchObject({ status: 2 });
  expect(await applyText(shell, file('repo:a', 'repo:a'))).toMatchObject({ status: 0 });
  const refused = await applyText(shell, file('repo:b', 'repo:**'));
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain('subject: must contain at most one *');
  const { id } = JSON.parse(
    (await shell.run(['clients', 'list', '--external-id', 'ci-worker', '--json'])).stdout,
  );
  const subjects = async () => {
    const ran = await shell.run(['clients', 'identities', 'list', id, '--json']);
    const rows = ran.stdout.trim().split('\n');
    return rows.map((row) => JSON.parse(row).subject).sort();
  };
  expect(await subjects()).toEqual(['repo:a', 'repo:b']);
  const many = Array.from({ length: 20 }, (_, i) => `repo:${i}`);
  expect(await applyText(shell, file(...many))).toMatchObject({ status: 2 });
  expect(await subjects()).toEqual(many.sort());
});

test('apply creates no more clients once it cannot store a secret', async () => {
  const shell = await staffShell();
  await mkdir(path.join(shell.home, 'secrets', 'client-lost-1.secret', 'inner'), {
    recursive: true,
  });
  const clients = ['lost-1', 'lost-2'].map((id) => `  - {external_id: ${id}, name: Lost}\n`);
  const { status, stderr } = await applyText(shell, `clients:\n${clients.join('')}`);
  expect(status).toBe(1);
  expect(stderr.split('\n')).toEqual([
    expect.stringMatching(/client lost-1: The client was created, but its secret is lost\. Run: /),
    '0 changed, 1 failed, 1 not tried.',
    '',
  ]);
});
