// Runs `latchkey doctor` with a mail server, a database server and a proxy.
import { rm } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { migratedDatabaseUrl } from '../support/databases.ts';
import { newDataDir, spawnProgram } from '../support/program.ts';
import { startSmtpServer } from '../support/smtp.ts';
import { stoppedInstallation } from '../support/stopped-installation.ts';

async function doctor(env: Record<string, string>, dataDir: string) {
  const program = await spawnProgram(env, dataDir, ['doctor']);
  const code = await program.ended;
  expect(program.stderr()).toBe('');
  return { code, lines: program.stdout().trimEnd().split('\n') };
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
