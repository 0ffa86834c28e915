// Runs `latchkey doctor` with a mail server, a database server and a proxy.
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { migratedDatabaseUrl } from '../support/databases.ts';
import { stoppedInstallation } from '../support/harness.ts';
import { newDataDir, runIn } from '../support/program.ts';
import { startSmtpServer } from '../support/smtp.ts';
import { createTlsFiles, localNames } from '../support/tls-app.ts';

async function doctor(env: Record<string, string>, dataDir: string) {
  const { status: code, stdout, stderr } = await runIn(dataDir, ['doctor'], env);
  expect(stderr).toBe('');
  return { code, lines: stdout.trimEnd().split('\n') };
}

test('a mail server must accept the login, and gets no mail', async () => {
  const dataDir = await stoppedInstallation();
  const smtp = await startSmtpServer({
    authOptional: false,
    onAuth: ({ username, password }, _session, done) => {
      if (username === 'user' && password === 'right') done(null, { user: username });
      else done(new Error('no'));
    },
  });
  onTestFinished(() => smtp.stop());
  const mailLine = async (login: string) => {
    const env = { LATCHKEY_SMTP_URL: `smtp://${login}@127.0.0.1:${smtp.port}` };
    const { code, lines } = await doctor(env, dataDir);
    expect(lines.join('\n')).not.toMatch(/right|wrong/);
    return [code, lines.find((line) => / mail /.test(line))];
  };

  expect(await mailLine('user:right')).toEqual([
    0,
    expect.stringMatching(/^ok +mail .* accepts connections and the login$/),
  ]);
  expect(await mailLine('user:wrong')).toEqual([
    1,
    expect.stringMatching(
      /^problem +mail .*EAUTH.*; check the user and the password in LATCHKEY_SM/,
    ),
  ]);
  expect(smtp.arrived).toEqual([]);
});

test('a public address without a mail server has a warning', async () => {
  const dataDir = await stoppedInstallation();
  const { lines } = await doctor({ LATCHKEY_PUBLIC_URL: 'https://keys.example.com' }, dataDir);
  expect(lines.join('\n')).toMatch(/^warning +mail .*outbox.* invitations .* are not sent$/m);
});

test('a read-only database and an address without https are shown', async () => {
  const url = await migratedDatabaseUrl('postgres');
  const readOnly = new URL(url);
  readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
  const dataDir = await newDataDir();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const env = {
    LATCHKEY_DATABASE_URL: readOnly.href,
    LATCHKEY_PUBLIC_URL: 'http://keys.example.com',
    LATCHKEY_TRUSTED_PROXIES: '10.0.0.0/1',
  };

  const { code, lines } = await doctor(env, dataDir);
  expect(lines.join('\n')).toMatch(/^problem +database .* is read-only; name the/m);
  expect(lines.join('\n')).toMatch(/^warning +proxies .*10\.0\.0\.0\/1/m);
  expect(code).toBe(1);

  const plain = await doctor({ ...env, LATCHKEY_TRUSTED_PROXIES: '' }, dataDir);
  expect(plain.lines.join('\n')).toMatch(/^warning +proxies .* is not https: /m);
});

test('the certificate, its key and the CA of client certificates are checked', async () => {
  const dataDir = await stoppedInstallation();
  const { authority, folder, paths, write, remove } = await createTlsFiles();
  onTestFinished(remove);
  const clientCa = path.join(folder, 'ca.crt');
  await writeFile(clientCa, authority.certificate);
  const env = {
    LATCHKEY_TLS_CERT: paths.tlsCert,
    LATCHKEY_TLS_KEY: paths.tlsKey,
    LATCHKEY_GRPC_CLIENT_CA: clientCa,
    LATCHKEY_PUBLIC_URL: 'https://keys.example.com',
  };
  const tlsLine = async () => {
    const { code, lines } = await doctor(env, dataDir);
    return [code, lines.find((line) => / tls /.test(line))];
  };

  expect(await tlsLine()).toEqual([
    0,
    expect.stringMatching(/^ok +tls .*tls\.crt is valid until 2049-12-31T.*ca\.crt/),
  ]);
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
  await write(authority.issue({ ...localNames, end: inDays(13) }));
  expect(await tlsLine()).toEqual([
    0,
    expect.stringMatching(/^warning +tls .* expires at .*renew/),
  ]);
  await write(authority.issue({ ...localNames, end: inDays(-1) }));
  expect(await tlsLine()).toEqual([
    1,
    expect.stringMatching(/^problem +tls .* expired at .*renew/),
  ]);
  await write({ key: authority.issue(localNames).key });
  expect(await tlsLine()).toEqual([
    1,
    expect.stringMatching(/^problem +tls .*LATCHKEY_TLS_KEY: is not the key of the certificate/),
  ]);
  await write(authority.issue(localNames));
  await writeFile(clientCa, authority.issue(localNames).certificate);
  expect(await tlsLine()).toEqual([
    1,
    expect.stringMatching(/^problem +tls .*LATCHKEY_GRPC_CLIENT_CA: .* not one of a CA$/),
  ]);
  await rm(paths.tlsKey);
  expect(await tlsLine()).toEqual([
    1,
    expect.stringMatching(/^problem +tls .*LATCHKEY_TLS_KEY: .* cannot be read \(ENOENT\)$/),
  ]);
});
