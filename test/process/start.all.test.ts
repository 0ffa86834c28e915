import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { envNames, parseEnv, stoppedInstallation } from '../support/harness.ts';
import { newDataDir, type Program, spawnProgram, startProgram } from '../support/program.ts';
import { itHoldsFor } from '../support/rule.ts';

async function spawned(env: Record<string, string>): Promise<Program> {
  const program = await spawnProgram(env);
  onTestFinished(() => program.remove());
  return program;
}

async function started(env: Record<string, string> = {}, dataDir?: string) {
  const program = await startProgram(env, dataDir);
  onTestFinished(() => program.remove());
  return program;
}

async function modeOf(file: string): Promise<string> {
  return ((await stat(file)).mode & 0o777).toString(8);
}

describe('the first start', () => {
  test('writes the settings for trying the service, readable only by its owner', async () => {
    const dataDir = await newDataDir();
    const { env } = await started({}, dataDir);

    const names = (await readFile(path.join(dataDir, 'bootstrap.env'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => line.split('=', 1)[0]);
    expect(names.sort()).toEqual([...envNames].sort());
    expect(env).toMatchObject({
      LATCHKEY_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      LATCHKEY_SHARING_BASE_URL: `${env.LATCHKEY_BASE_URL}/api/v1`,
      LATCHKEY_GRPC_ADDRESS: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      LATCHKEY_OPS_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      CLIENT_ID: expect.stringMatching(/^cli_/),
      CLIENT_SECRET: expect.stringMatching(/^lk_cs_/),
      CLIENT_SCOPES:
        'accounts:read accounts:write payments:read payments:write tokens:read tokens:write',
      CUSTOMER_API_KEY: expect.stringMatching(/^lk_ck_/),
      CUSTOMER_ACCOUNTS: expect.stringMatching(/^[^,]+,[^,]+$/),
      API_KEY: expect.stringMatching(/^lk_wk_/),
      WORKSPACE_ID: expect.stringMatching(/^ws_/),
    });
    expect(await modeOf(path.join(dataDir, 'bootstrap.env'))).toBe('600');
    expect(await modeOf(path.join(dataDir, 'master.key'))).toBe('600');
    expect((await readdir(dataDir)).filter((name) => /[0-9a-f-]{36}$/.test(name))).toEqual([]);
  });

  test('creates a data folder that only its owner may enter', async () => {
    const parent = await newDataDir();
    const dataDir = path.join(parent, 'deep/er');
    const program = await spawnProgram({ LATCHKEY_DATA_DIR: dataDir }, parent);
    onTestFinished(() => program.remove());
    await expect.poll(() => program.stderr(), { timeout: 20_000 }).toContain('operations');

    expect(await modeOf(dataDir)).toBe('700');
    expect(await readdir(dataDir)).toContain('bootstrap.env');
  });

  test('prints its addresses and the name of the file, but no secret', async () => {
    const { env, stderr, stdout, dataDir } = await started();

    expect(stderr()).toContain(env.LATCHKEY_BASE_URL);
    expect(stderr()).toContain(env.LATCHKEY_GRPC_ADDRESS);
    expect(stderr()).toContain(env.LATCHKEY_OPS_URL);
    expect(stderr()).toContain(path.join(dataDir, 'bootstrap.env'));
    for (const secret of [env.CLIENT_SECRET, env.API_KEY, env.STAFF_PASSWORD]) {
      expect(stderr() + stdout()).not.toContain(secret);
    }
  });

  test('with `owner` creates a staff user and nothing else', async () => {
    const { env } = await started({ LATCHKEY_BOOTSTRAP: 'owner' });

    expect(env).toMatchObject({ STAFF_EMAIL: 'staff@example.com', CLIENT_ID: '', API_KEY: '' });
    expect(env.STAFF_PASSWORD).not.toBe('');
  });

  test('with `none` writes no file', async () => {
    const program = await spawned({ LATCHKEY_BOOTSTRAP: 'none' });
    await expect.poll(() => program.stderr(), { timeout: 20_000 }).toContain('operations');

    expect(await readdir(program.dataDir)).not.toContain('bootstrap.env');
    expect(program.stderr()).not.toContain('bootstrap.env');
  });
});

describe('a later start', () => {
  test('keeps the secrets and the lines that users added, and updates the addresses', async () => {
    const dataDir = await newDataDir();
    const file = path.join(dataDir, 'bootstrap.env');
    const first = await started({}, dataDir);
    const masterKey = await readFile(path.join(dataDir, 'master.key'), 'utf8');
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    await writeFile(file, `${await readFile(file, 'utf8')}OURS='kept'\n`);

    const second = await started({ LATCHKEY_PUBLIC_URL: 'https://keys.example.com' }, dataDir);

    const addresses = {
      LATCHKEY_BASE_URL: 'https://keys.example.com',
      LATCHKEY_SHARING_BASE_URL: 'https://keys.example.com/api/v1',
      LATCHKEY_GRPC_ADDRESS: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      LATCHKEY_OPS_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    };
    expect(second.env).toEqual({ ...first.env, ...addresses });
    expect(second.env.LATCHKEY_GRPC_ADDRESS).not.toBe(first.env.LATCHKEY_GRPC_ADDRESS);
    expect(await readFile(file, 'utf8')).toContain("OURS='kept'");
    expect(await modeOf(file)).toBe('600');
    expect(await readFile(path.join(dataDir, 'master.key'), 'utf8')).toBe(masterKey);
    expect(second.stderr()).not.toContain('first credentials');
  });

  test('does not recreate a removed file', async () => {
    const dataDir = await stoppedInstallation();
    await rm(path.join(dataDir, 'bootstrap.env'));

    const program = await spawnProgram({}, dataDir);
    onTestFinished(() => program.remove());
    await expect.poll(() => program.stderr(), { timeout: 20_000 }).toContain('operations');

    expect(await readdir(dataDir)).not.toContain('bootstrap.env');
  });

  test('with another master key is refused with the reason', async () => {
    const dataDir = await stoppedInstallation();

    const program = await spawnProgram({ LATCHKEY_MASTER_KEY: 'ab'.repeat(32) }, dataDir);
    onTestFinished(() => program.remove());

    expect(await program.ended).toBe(1);
    expect(program.stderr()).toContain('was encrypted with another master key');
    expect(program.stderr()).toContain('LATCHKEY_MASTER_KEY');
    expect(program.stderr()).not.toContain('ab'.repeat(8));
  });
});

describe('a failing start', () => {
  test('reports every invalid setting at once, echoes no value, and exits with 2', async () => {
    const program = await spawned({
      LATCHKEY_HTTP_ADDRESS: 'nowhere-at-all',
      LATCHKEY_CUSTOMER_TOKEN_SECONDS: '61',
      LATCHKEY_MASTER_KEY: 'a-secret-that-is-mistyped',
      LATCHKEY_DATABASE_URL: 'mysql://root:hunter2@db/x',
      LATCHKEY_TYPO: 'a-value',
    });

    expect(await program.ended).toBe(2);
    expect(program.stderr().trim().split('\n')).toEqual([
      'The settings are not valid:',
      '  LATCHKEY_TYPO: there is no such setting',
      '  LATCHKEY_HTTP_ADDRESS: must be <host>:<port>',
      '  LATCHKEY_DATABASE_URL: must be sqlite:<file> or postgres://…',
      '  LATCHKEY_MASTER_KEY: must be 32 bytes, as 64 hexadecimal digits',
      '  LATCHKEY_CUSTOMER_TOKEN_SECONDS: must be a whole number of seconds, 1 to 60',
    ]);
    expect(program.stdout()).toBe('');
    expect(await readdir(program.dataDir)).toEqual([]);
  });

  itHoldsFor(['HTTP', 'GRPC', 'OPS'])(
    'reports a port in use and exits with 1',
    async (transport) => {
      const server = createServer().listen(0, '127.0.0.1');
      onTestFinished(() => void server.close());
      await once(server, 'listening');
      const bound = server.address();
      const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
      const program = await spawned({ [`LATCHKEY_${transport}_ADDRESS`]: `127.0.0.1:${port}` });

      expect(await program.ended).toBe(1);
      const setting = `LATCHKEY_${transport}_ADDRESS`;
      expect(program.stderr()).toBe(
        `Latchkey cannot start: 127.0.0.1:${port} (${setting}) is in use. Stop the program that ` +
          `listens there, or set ${setting} to another address. (EADDRINUSE)\n`,
      );
      expect(program.stdout()).not.toContain('    at ');
      expect(JSON.parse(program.stdout())).not.toHaveProperty('err');
    },
  );

  test('reports that the address belongs to another machine', async () => {
    const program = await spawned({ LATCHKEY_GRPC_ADDRESS: '192.0.2.1:50051' });

    expect(await program.ended).toBe(1);
    expect(program.stderr()).toBe(
      'Latchkey cannot start: 192.0.2.1:50051 (LATCHKEY_GRPC_ADDRESS) is not an address of this ' +
        'machine. Set LATCHKEY_GRPC_ADDRESS to one of its addresses. (EADDRNOTAVAIL)\n',
    );
  });

  test('prints one line on a terminal, without a stack trace', async () => {
    const program = await spawned({
      LATCHKEY_LOG_FORMAT: 'pretty',
      LATCHKEY_DATABASE_URL: 'postgres://someone@127.0.0.1:1/latchkey',
    });

    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(/^Latchkey cannot start: .*ECONNREFUSED.*\n$/);
    expect(program.stdout()).toBe('');
  });

  test('reports an unreachable database without its password and exits with 1', async () => {
    const program = await spawned({
      LATCHKEY_DATABASE_URL: 'postgres://someone:hunter2@127.0.0.1:1/latchkey',
    });

    expect(await program.ended).toBe(1);
    expect(program.stderr()).toContain('ECONNREFUSED');
    expect(program.stderr() + program.stdout()).not.toContain('hunter2');
  });

  test('keeps a damaged master key and reports it', async () => {
    const dataDir = await newDataDir();
    await writeFile(path.join(dataDir, 'master.key'), 'damaged');
    const program = await spawnProgram({}, dataDir);
    onTestFinished(() => program.remove());

    expect(await program.ended).toBe(1);
    expect(program.stderr()).toContain('master.key');
    expect(program.stderr()).not.toContain('damaged');
    expect(await readFile(path.join(dataDir, 'master.key'), 'utf8')).toBe('damaged');
  });
});

test('a shell can source the file of a first start', async () => {
  const { dataDir, env } = await started();
  const script = `. ${dataDir}/bootstrap.env; printf '%s' "$CLIENT_SCOPES"`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script]);
  expect(stdout).toBe(env.CLIENT_SCOPES);
  expect(parseEnv(await readFile(path.join(dataDir, 'bootstrap.env'), 'utf8'))).toEqual(env);
});
