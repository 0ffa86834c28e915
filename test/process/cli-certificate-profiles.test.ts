// The certificate of a client in a profile of the command line.
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { useCertificates } from '../support/cli-certificates.ts';
import { itHoldsFor } from '../support/rule.ts';

const { program, workloads, createClient, billingId, openWithFiles, startOtherServer } =
  useCertificates();

const certificateOptions = [
  ...['--certificate-file', 'own.crt', '--certificate-key-file', 'own.key'],
];

test('a profile stores the paths of a certificate, which its server alone gets', async () => {
  const clientId = await billingId();
  const shell = await openWithFiles({});
  const login = ['login', '--client', clientId, ...certificateOptions, '--json'];
  const signedIn = await shell.run(login);
  expect(signedIn).toMatchObject({ status: 0, stderr: '' });
  const file = path.join(shell.home, 'own.crt');
  expect(JSON.parse(signedIn.stdout)).toMatchObject({
    client_id: clientId,
    certificate_file: file,
  });
  const stored = await readFile(path.join(shell.home, 'config/latchkey/profile.json'), 'utf8');
  expect(JSON.parse(stored)).toEqual({
    server: program.app.publicUrl,
    credential: { kind: 'certificate', clientId },
    certificate: { file, keyFile: path.join(shell.home, 'own.key') },
  });

  delete shell.env.LATCHKEY_BASE_URL;
  expect(await shell.run(['accounts', 'list'])).toMatchObject({ status: 0, stderr: '' });
  const { stdout: token } = await shell.run(['token', '--scope', 'accounts:read']);
  expect(decodeJwt(token).cnf).toEqual({ 'x5t#S256': expect.any(String) });
  const requested = await shell.run(['api', 'GET', '/accounts', '--scope', 'accounts:read']);
  expect(requested).toMatchObject({ status: 0, stderr: '' });

  const { address, presented } = await startOtherServer();
  const others = [
    ['password-reset', 'request', 'a@example.com', '--server', address],
    ['login', '--server', address, '--email', 'a@example.com', '--password-stdin'],
  ];
  for (const line of others) expect((await shell.run(line, 'password')).status).not.toBe(0);
  Object.assign(shell.env, { LATCHKEY_BASE_URL: address, LATCHKEY_TOKEN: 'a' });
  expect((await shell.run(['accounts', 'list'])).status).not.toBe(0);
  expect(presented.length).toBeGreaterThanOrEqual(3);
  expect(presented.filter((certificate) => certificate !== undefined)).toEqual([]);
});

test('a session and a secret are stored together with a certificate', async () => {
  const { id, secret } = await createClient('invoices');
  const pair = workloads.issue({ dns: ['invoices.example.org'] });
  const shell = await openWithFiles({ LATCHKEY_CLIENT_SECRET: secret }, pair);
  const login = ['login', '--client', id, ...certificateOptions];
  expect(await shell.run(login)).toMatchObject({ status: 0, stdout: '' });
  delete shell.env.LATCHKEY_CLIENT_SECRET;
  expect(await shell.run(['accounts', 'list'])).toMatchObject({ status: 0, stderr: '' });

  const { STAFF_EMAIL: email, STAFF_PASSWORD: password } = program.env;
  const again = ['login', '--email', email, '--password-stdin', ...certificateOptions];
  expect(await shell.run(again, password)).toMatchObject({ status: 0 });
  await rm(path.join(shell.home, 'own.key'));
  const ran = await shell.run(['clients', 'list']);
  const missing = `certificate key: ${path.join(shell.home, 'own.key')}: there is no such file`;
  expect(ran).toMatchObject({ status: 66, stderr: expect.stringContaining(missing) });
});

const wrongLogins = [
  [['--certificate-file', 'own.crt'], 2, '--certificate-file needs --certificate-key-file'],
  [['--certificate-key-file', 'own.key'], 2, '--certificate-key-file needs --certificate-file'],
  [[...certificateOptions, '--server', 'http://127.0.0.1:1'], 2, 'needs an https address'],
  [[...certificateOptions.with(1, 'none.crt')], 66, 'certificate: '],
  [[...certificateOptions.with(3, 'own.crt')], 2, 'certificate key: '],
] as const;

itHoldsFor(wrongLogins, 5)(
  'login stores no unusable certificate',
  async (options, status, text) => {
    const shell = await openWithFiles({});
    const ran = await shell.run(['login', '--client', await billingId(), ...options]);
    expect(ran).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(text) });
    expect(await shell.run(['profiles', 'list'])).toMatchObject({ stdout: '' });
  },
);
