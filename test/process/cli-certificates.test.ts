// The command line with the certificate of a client (RFC 8705), and tokens that are bound to it.
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import type { KeyPair } from '../support/certificates.ts';
import { openStaffShell } from '../support/cli.ts';
import { useCertificates } from '../support/cli-certificates.ts';
import { itHoldsFor } from '../support/rule.ts';

const { program, workloads, own, createClient, billingId, openWithFiles, startOtherServer } =
  useCertificates();

const uri = ['spiffe://example.org/billing'];
const other = workloads.issue({ uri });
const certificateVariable = 'LATCHKEY_CLIENT_CERTIFICATE_FILE';
const keyVariable = 'LATCHKEY_CLIENT_CERTIFICATE_KEY_FILE';

const files = { [certificateVariable]: 'own.crt', [keyVariable]: 'own.key' };

const openCaller = (env: Record<string, string> = {}, pair: KeyPair = own) =>
  openWithFiles({ ...files, ...env }, pair);

test('every kind of call presents the certificate', async () => {
  const clientId = await billingId();
  const shell = await openCaller({ LATCHKEY_CLIENT_ID: clientId });
  const issued = await shell.run(['token', '--scope', 'accounts:read', '--json']);
  const token = JSON.parse(issued.stdout);
  expect(token).toMatchObject({ token_type: 'Bearer', scope: 'accounts:read' });
  const { sub, cnf } = decodeJwt(token.access_token);
  expect({ sub, cnf }).toEqual({ sub: clientId, cnf: { 'x5t#S256': expect.any(String) } });

  expect(await shell.run(['whoami', '--json'])).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(clientId),
  });
  expect(await shell.run(['accounts', 'list'])).toMatchObject({ status: 0, stderr: '' });
  const requested = await shell.run(['api', 'GET', '/accounts', '--scope', 'accounts:read']);
  expect(JSON.parse(requested.stdout)).toMatchObject({ accounts: expect.any(Array) });

  const { WORKSPACE_ID } = program.env;
  const upload = ['upload', '-', '--name', 'note.txt', '--workspace', WORKSPACE_ID];
  const uploaded = await shell.run(upload, 'a note');
  expect(uploaded).toMatchObject({ status: 0, stdout: expect.stringMatching(/^doc_/) });
  const document = uploaded.stdout.trim();
  const download = ['documents', 'download', document, '--workspace', WORKSPACE_ID];
  expect(await shell.run(download)).toMatchObject({ status: 0, stdout: 'a note' });
});

test('a secret and a token are sent together with the certificate', async () => {
  const { id, secret } = await createClient('reports');
  const pair = workloads.issue({ dns: ['reports.example.org'] });
  const client = { LATCHKEY_CLIENT_ID: id, LATCHKEY_CLIENT_SECRET: secret };
  const shell = await openCaller(client, pair);
  const { stdout } = await shell.run(['token', '--scope', 'accounts:read']);
  const env = { LATCHKEY_TOKEN: stdout.trim() };
  const list = ['accounts', 'list'];
  expect(await (await openCaller(env, pair)).run(list)).toMatchObject({ status: 0 });
  expect(await (await openCaller(env, other)).run(list)).toMatchObject({ status: 77 });
  expect(await (await openWithFiles(env)).run(list)).toMatchObject({ status: 77 });
});

test('a profile presents the certificate to its own server', async () => {
  const staff = await openStaffShell(program);
  await writeFile(path.join(staff.home, 'own.crt'), own.certificate);
  await writeFile(path.join(staff.home, 'own.key'), own.key);
  Object.assign(staff.env, files);
  expect(await staff.run(['whoami'])).toMatchObject({ status: 0, stderr: '' });
  expect(await staff.run(['logout'])).toMatchObject({ status: 0, stderr: '' });
});

test('the error for a certificate without a credential names the variable', async () => {
  const ran = await (await openCaller()).run(['accounts', 'list']);
  expect(ran).toMatchObject({ status: 77, stdout: '' });
  expect(ran.stderr).toContain('LATCHKEY_CLIENT_ID');
});

test('another server never gets the certificate', async () => {
  const { address, presented } = await startOtherServer();
  // A redirect to the other server is not followed.
  const redirected = await openCaller({ LATCHKEY_BASE_URL: address, LATCHKEY_TOKEN: 'a' });
  expect(await redirected.run(['api', 'GET', '/accounts'])).toMatchObject({ status: 69 });
  expect(presented).toEqual([expect.anything()]);

  const shell = await openCaller();
  const profile = { server: address, credential: { kind: 'token', token: 'a' } };
  const folder = path.join(shell.home, 'config/latchkey');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'profile.json'), JSON.stringify(profile), { mode: 0o600 });
  const calls = [
    ['accounts', 'list'],
    ['api', 'GET', '/accounts'],
    ['login', '--server', address, '--email', 'a@example.com', '--password-stdin'],
    ['password-reset', 'request', 'a@example.com', '--server', address],
  ];
  for (const line of calls) {
    expect(await shell.run(line, 'password'), line.join(' ')).toMatchObject({ status: 2 });
  }
  delete shell.env.LATCHKEY_BASE_URL;
  for (const line of calls) {
    const ran = await shell.run(line, 'password');
    expect(ran.stderr, line.join(' ')).toContain(certificateVariable);
    expect(ran.stderr).toContain('LATCHKEY_BASE_URL');
    expect(ran.status).toBe(2);
  }
  expect(presented).toHaveLength(1);
});

const encrypted = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
}).privateKey;

type Case = readonly [
  name: string,
  env: Readonly<Record<string, string>>,
  contents: Readonly<Record<string, string>>,
  status: number,
  says: readonly string[],
];

const cases: readonly Case[] = [
  ['no key', { [keyVariable]: '' }, {}, 2, [`${certificateVariable} needs ${keyVariable}`]],
  ['a key alone', { [certificateVariable]: '' }, {}, 2, [`${keyVariable} needs`]],
  [
    'a missing certificate',
    { [certificateVariable]: 'none.crt' },
    {},
    66,
    [`${certificateVariable}: none.crt: there is no such file`],
  ],
  [
    'a missing key',
    { [keyVariable]: 'none.key' },
    {},
    66,
    [`${keyVariable}: none.key: there is no such file`],
  ],
  ['a folder', { [keyVariable]: '.' }, {}, 66, [keyVariable, 'EISDIR']],
  ['an unreadable PEM', {}, { 'own.crt': 'hello' }, 2, [certificateVariable, 'PEM']],
  [
    'a damaged certificate',
    {},
    { 'own.crt': own.certificate.replace(/\n.{64}\n/, '\n') },
    2,
    [certificateVariable, 'own.crt'],
  ],
  ['an unreadable key', {}, { 'own.key': own.certificate }, 2, [keyVariable, 'PEM']],
  ['an encrypted key', {}, { 'own.key': encrypted }, 2, [keyVariable, 'passphrase']],
  ['the key of another certificate', {}, { 'own.key': other.key }, 2, [keyVariable, 'belong']],
  [
    'a damaged intermediate certificate',
    {},
    { 'own.crt': `${own.certificate}${own.certificate.replace(/\n.{64}\n/, '\n')}` },
    2,
    [certificateVariable],
  ],
  [
    'an expired certificate',
    {},
    { pair: 'expired' },
    77,
    [certificateVariable, 'expired on 2021-01-01T00:00:00.000Z'],
  ],
  [
    'an address without TLS',
    { LATCHKEY_BASE_URL: 'http://127.0.0.1:1' },
    {},
    2,
    [certificateVariable, 'https', 'LATCHKEY_BASE_URL'],
  ],
];

itHoldsFor(cases, 13)(
  'a certificate that cannot be used is an error that names the variable',
  async (_name, env, { pair, ...contents }, status, says) => {
    const shell = await openCaller(
      { LATCHKEY_CLIENT_ID: await billingId(), ...env },
      pair === undefined ? own : workloads.issue({ uri, isExpired: true }),
    );
    for (const [file, text] of Object.entries(contents)) {
      await writeFile(path.join(shell.home, file), text);
    }
    const key = await readFile(path.join(shell.home, 'own.key'), 'utf8');
    for (const line of [
      ['accounts', 'list'],
      ['api', 'GET', '/accounts', '--scope', 'accounts:read'],
      ['whoami'],
    ]) {
      const ran = await shell.run(line);
      expect(ran, line.join(' ')).toMatchObject({ status, stdout: '' });
      for (const text of says) expect(ran.stderr).toContain(text);
      for (const secret of key.split('\n').filter((one) => !one.startsWith('-----'))) {
        if (secret !== '') expect(ran.stderr).not.toContain(secret);
      }
    }
  },
);
