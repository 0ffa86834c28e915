// `import`: clients of Hydra and Keycloak keep their ids and secrets.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { openShell, openStaffShell, type Shell, startServer } from '../support/cli.ts';
import { jwkOf, keyPairs } from '../support/client-keys.ts';
import { hashes } from '../support/imported-hashes.ts';
import { itHoldsFor } from '../support/rule.ts';
import { useStarted } from '../support/use-started.ts';

const program = useStarted(() => startServer());

const staffShell = () => openStaffShell(program);

const runImport = (shell: Shell, kind: string, json: unknown, ...words: string[]) =>
  shell.run(['import', kind, '-', ...words], JSON.stringify(json));

async function tokenOf(id: string, secret: string, scope: string): Promise<string> {
  const basic = Buffer.from(`${id}:${encodeURIComponent(secret)}`).toString('base64');
  const answer = await fetch(`${program.origin}/tokens`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${basic}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  });
  const { access_token: token, error } = JSON.parse(await answer.text());
  return error ?? JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()).sub;
}

const [ordersSecret, ordersHash] = hashes['PBKDF2 with SHA-256, as Hydra writes it'];
const [stockSecret, stockHash] = hashes['bcrypt 2a'];

const orders = {
  client_id: 'c2b1e5a0-0f5e-4b64-9d3e-0d2ce5a7c001',
  client_name: 'Orders',
  scope: 'orders.read payments:write openid clients:write',
  grant_types: ['client_credentials', 'authorization_code'],
  audience: ['https://payments.example'],
  redirect_uris: ['https://orders.example/callback'],
  token_endpoint_auth_method: 'client_secret_basic',
  client_credentials_grant_access_token_lifespan: '10m0s',
  client_secret: ordersHash,
  metadata: {},
  created_at: '2024-01-01T00:00:00Z',
};

/** A row of the table. */
const stock = {
  ...{ id: 'stock', scope: '', grant_types: '["client_credentials"]', audience: '[]' },
  client_secret: stockHash,
};
const keys = keyPairs.ES256();
const signer = {
  ...{ client_id: 'signer', grant_types: ['client_credentials'], scope: 'payments:read' },
  token_endpoint_auth_method: 'private_key_jwt',
  jwks: { keys: [{ ...jwkOf(keys), kid: 'first', use: 'sig' }] },
};
const weak = { ...stock, id: 'weak', client_secret: '$2a$03$abcdefghijklmnopqrstuu' };
const web = { client_id: 'web', grant_types: ['authorization_code'] };
const reserved = { ...stock, id: 'Staff' };
const mapped = ['--map-scope', 'orders.read=orders:read', '--map-scope', 'orders.read=stock:read'];

test('clients of Hydra keep ids, secrets and keys; a later run adds the failed ones', async () => {
  const shell = await staffShell();
  const audience = ['audiences', 'create', 'https://payments.example', 'Payments', '--json'];
  expect(await shell.run(audience)).toMatchObject({ status: 0 });
  const list = { items: [orders, stock, signer, weak, web, reserved] };
  const dry = await runImport(shell, 'hydra', list, '--dry-run', ...mapped);
  expect(dry.status, dry.stderr).toBe(3);
  expect(dry.stdout.split('\n').map((line) => line.split('\t').slice(0, 3).join(' '))).toEqual(
    [orders.client_id, 'stock', 'signer', 'weak', ''].map((id) =>
      id === '' ? '' : `create client ${id}`,
    ),
  );
  expect(dry.stderr.split('\n')).toEqual([
    `clients[0] ${orders.client_id}: not carried over: scope openid, scope clients:write, ` +
      'grant authorization_code, redirect_uris',
    'clients[2] signer: not carried over: secret: the client gets a new one',
    'clients[4] web: not imported: has no grant client_credentials',
    'clients[5] Staff: not imported: the id is a reserved word or has the form of an id of the ' +
      'service',
    'Nothing was changed.',
    '',
  ]);
  // The new secret of the client with keys would be lost.
  const careless = await runImport(shell, 'hydra', list, ...mapped);
  expect(careless).toMatchObject({ status: 1, stderr: expect.stringContaining('--secrets-dir') });

  const words = [...mapped, '--secrets-dir', 'secrets'];
  const first = await runImport(shell, 'hydra', list, ...words);
  expect(first.stderr).toContain('client weak: imported_secret.hash: must be a hash of bcrypt');
  expect(first.stderr).toContain('3 changed, 1 failed.');
  expect(first.status).toBe(1);
  expect(first.stdout + first.stderr).not.toContain('abcdefghijklmnopqrstuu');
  expect(await readdir(path.join(shell.home, 'secrets'))).toEqual(['client-signer.secret']);

  const id = orders.client_id;
  expect(await tokenOf(id, ordersSecret, 'orders:read stock:read payments:write')).toBe(id);
  expect(await tokenOf(id, ordersSecret, 'clients:write')).toBe('invalid_scope');
  expect(await tokenOf('stock', stockSecret, '')).toBe('invalid_scope');
  const shown = JSON.parse((await shell.run(['clients', 'get', id, '--json'])).stdout);
  expect(shown).toMatchObject({ name: 'Orders', token_seconds: 600, external_id: id });
  expect(shown.audience_ids).toHaveLength(1);
  const keyList = ['clients', 'keys', 'list', 'signer', '--json'];
  const [key] = (await shell.run(keyList)).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(key.jwk).toMatchObject({ kid: 'first', x: jwkOf(keys).x });

  // A later run creates the missing client and key.
  await shell.run(['clients', 'update', id, '--name', 'Renamed']);
  const more = { ...signer, jwks: { keys: [...signer.jwks.keys, jwkOf(keyPairs.EdDSA())] } };
  const fixed = { ...weak, client_secret: 'a-plain-secret-of-27-chars!' };
  const again = await runImport(shell, 'hydra', [orders, stock, more, fixed], ...words);
  expect(again.stdout.split('\n').map((line) => line.split('\t').slice(0, 3).join(' '))).toEqual([
    ...['create client weak', 'update client signer', ''],
  ]);
  expect(again).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('2 changed, 0 failed.'),
  });
  const name = JSON.parse((await shell.run(['clients', 'get', id, '--json'])).stdout).name;
  expect(name).toBe('Renamed');
  const last = await runImport(shell, 'hydra', [orders, stock, more, fixed], ...words, '--json');
  expect(last.status).toBe(0);
  expect(JSON.parse(last.stdout)).toMatchObject({
    changes: [],
    clients: [{ client_id: id, not_imported: 'already exists' }, {}, {}, {}],
  });
});

test('clients of Keycloak with a service account keep their ids and secrets', async () => {
  const shell = await staffShell();
  const service = {
    ...{ id: 'uuid', clientId: 'reports', name: '', enabled: true, protocol: 'openid-connect' },
    ...{
      serviceAccountsEnabled: true,
      publicClient: false,
      clientAuthenticatorType: 'client-secret',
    },
    secret: 'kQ4mZ8vR1tY6pL3nX9wB2sD5fG7hJ0cA',
    defaultClientScopes: ['web-origins', 'acr', 'payments:read'],
    optionalClientScopes: ['address', 'ledger'],
    attributes: { 'access.token.lifespan': '120', 'saml.encrypt': 'false', 'x.own': 'value' },
    protocolMappers: [{ name: 'tenant', protocolMapper: 'oidc-hardcoded-claim-mapper' }],
  };
  const realm = {
    realm: 'example',
    users: [],
    clients: [
      service,
      { ...service, clientId: 'hidden', secret: '**********', attributes: {}, protocolMappers: [] },
      { ...service, clientId: 'spa', publicClient: true },
      { ...service, clientId: 'login', serviceAccountsEnabled: false },
      { ...service, clientId: 'off', enabled: false },
      { ...service, clientId: 'https://saml.example', protocol: 'saml' },
      { ...service, clientId: 'a b' },
    ],
  };
  await writeFile(path.join(shell.home, 'realm.json'), `\ufeff${JSON.stringify(realm)}`);
  const words = ['import', 'keycloak', 'realm.json', '--map-scope', 'ledger=ledger:write'];
  const ran = await shell.run([...words, '--secrets-dir', 'secrets', '--json']);
  expect(ran.status, ran.stderr).toBe(2);
  expect(JSON.parse(ran.stdout)).toEqual({
    changes: ['reports', 'hidden'].map((external_id) => ({
      ...{ action: 'create', kind: 'client', external_id },
      fields: expect.arrayContaining(['name', 'scopes', 'default_scopes']),
    })),
    clients: [
      { client_id: 'reports', not_carried_over: ['attribute x.own', 'mapper tenant'] },
      {
        client_id: 'hidden',
        not_carried_over: [
          ...['secret (hidden in this export)', 'secret: the client gets a new one'],
        ],
      },
      { client_id: 'spa', not_imported: 'is a public client' },
      { client_id: 'login', not_imported: 'has no service account' },
      { client_id: 'off', not_imported: 'is disabled' },
      { client_id: 'https://saml.example', not_imported: 'is not a client of OpenID Connect' },
      { client_id: 'a b', not_imported: expect.stringContaining('1 to 64 letters') },
    ],
  });
  expect(ran.stdout + ran.stderr).not.toContain(service.secret);
  expect(await tokenOf('reports', service.secret, 'ledger:write')).toBe('reports');
  const secret = await readFile(path.join(shell.home, 'secrets', 'client-hidden.secret'), 'utf8');
  expect(await tokenOf('hidden', secret.trim(), 'payments:read')).toBe('hidden');
});

test('an export names the identities and the audiences of an imported client', async () => {
  const shell = await staffShell();
  const call = async (path: string, fields: object) => {
    const ran = await shell.run(['api', 'POST', path, '--data', JSON.stringify(fields)]);
    expect(ran.status, ran.stderr).toBe(0);
    return JSON.parse(ran.stdout);
  };
  const pair = async (path: string, fields: readonly object[]) => {
    const [first, second] = fields;
    const other = (await call(path, { name: 'Other', ...first })).id;
    // A caller who may only create such resources chooses the external id.
    const own = (await call(path, { name: 'Own', ...second, external_id: other })).id;
    return { other, own };
  };
  const audiences = await pair('/audiences', [
    { identifier: 'urn:other' },
    { identifier: 'urn:own' },
  ]);
  const issuers = await pair('/trusted-issuers', [
    { issuer: 'https://other.example', enabled: false },
    { issuer: 'https://own.example', enabled: false },
  ]);
  const list = [{ ...stock, id: 'federated', audience: ['urn:own'] }];
  expect((await runImport(shell, 'hydra', list)).status).toBe(2);
  const identity = { issuer_id: issuers.own, subject: 'repo:acme' };
  await call('/clients/federated/federated-identities', identity);
  expect(await shell.run(['export', 'exported'])).toMatchObject({ status: 0 });
  const file = await readFile(path.join(shell.home, 'exported', 'clients.yaml'), 'utf8');
  const { clients } = parse(file);
  expect(clients.find((one: { external_id: string }) => one.external_id === 'federated')).toEqual({
    ...{ external_id: 'federated', name: 'federated', audiences: [audiences.own] },
    federated_identities: [{ trusted_issuer: issuers.own, subject: 'repo:acme' }],
  });
  const again = await shell.run(['apply', '-f', 'exported']);
  expect(again.status).toBe(1);
  for (const { other } of [audiences, issuers]) expect(again.stderr).not.toContain(`${other} is`);
  expect(again.stderr.match(/must not have the form of an id of the service$/gm)).toHaveLength(2);
});

const secret = 'a-secret-that-no-message-shows';

itHoldsFor([
  ['hydra', `{"client_secret": "${secret}"`, 'is not JSON'],
  ['hydra', `[{"client_secret": "${secret}"}]`, 'has no valid client_id in clients[0]'],
  ['hydra', `"${secret}"`, 'has no list of OAuth 2.0 clients of Hydra'],
  ['hydra', `{"realm": "a", "clients": [{"secret": "${secret}"}]}`, 'latchkey import keycloak'],
  ['keycloak', `[{"client_id": "a", "client_secret": "${secret}"}]`, 'latchkey import hydra'],
  ['keycloak', '[{"realm": "a"}, {"realm": "b"}]', 'has 2 realms'],
  [
    'keycloak',
    '[{"clientId": "a"}, {"clientId": "a"}]',
    'clients[1]: has the same id as clients[0]',
  ],
  ['keycloak', '', 'is not JSON'],
  ['keycloak', ' '.repeat(17 * 1024 * 1024), 'larger than 16 MiB'],
])('refuses an invalid export file', async (kind, text, problem) => {
  const shell = await openShell({ LATCHKEY_BASE_URL: program.origin, LATCHKEY_TOKEN: 'unused' });
  const ran = await shell.run(['import', kind, '-'], text);
  expect(ran.stderr).toContain(problem);
  expect(ran).toMatchObject({ status: 1, stdout: '' });
  expect(ran.stderr).not.toContain(secret);
});

test('a wrong scope map and a missing file are refused', async () => {
  const shell = await staffShell();
  const wrong = await runImport(shell, 'hydra', [stock], '--map-scope', 'orders=Orders');
  expect(wrong).toMatchObject({ status: 1, stderr: expect.stringContaining('--map-scope') });
  const unused = await runImport(shell, 'hydra', [stock], '--map-scope', 'orders=orders:read');
  const problem = '--map-scope orders: no client in the file has this scope.';
  expect(unused).toMatchObject({ status: 1, stderr: expect.stringContaining(problem) });
  expect((await shell.run(['import', 'hydra', 'none.json'])).stderr).toContain('no such file');
});
