// Runs `latchkey rotate-master-key` as a process.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readMasterKeyFile } from '../../src/base/crypto/master-key-file.ts';
import { sealedSigningKeys } from '../../src/identity/keys/sealed-values.ts';
import { stoppedInstallation } from '../support/harness.ts';
import { addSealed, fileKey, masterKeyIds, urlIn, withDatabase } from '../support/master-keys.ts';
import {
  newDataDir,
  type Program,
  type RunningProgram,
  spawnProgram,
  startProgram,
} from '../support/program.ts';

async function stop(program: Program): Promise<void> {
  program.child.kill('SIGTERM');
  expect(await program.ended).toBe(0);
}

/** The files in a folder, and whether the folder exists. */
async function filesIn(folder: string): Promise<unknown> {
  return readdir(folder, { recursive: true }).catch(() => 'missing');
}

async function rotate(dataDir: string, env = {}): Promise<Program & { code: unknown }> {
  const program = await spawnProgram(env, dataDir, ['rotate-master-key']);
  return { ...program, code: await program.ended };
}

function issue({ env }: RunningProgram): Promise<Response> {
  return fetch(`${env.LATCHKEY_BASE_URL}/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: env.CLIENT_ID,
      client_secret: env.CLIENT_SECRET,
      scope: 'accounts:read',
    }),
  });
}

test('a rotation of the master key replaces it after everything is encrypted again', async () => {
  const dataDir = await stoppedInstallation();
  const before = await fileKey(dataDir);
  await addSealed(urlIn(dataDir), await readMasterKeyFile(dataDir), 2);

  const { code, stdout, stderr } = await rotate(dataDir);

  const after = await fileKey(dataDir);
  expect([code, stderr()]).toEqual([0, '']);
  expect(stdout()).toBe(
    `Values encrypted with the new master key ${after.id}: 4\n` +
      'Values that were already encrypted with it: 0\n',
  );
  expect(after.id).not.toBe(before.id);
  expect(await masterKeyIds(urlIn(dataDir))).toEqual(Array(4).fill(after.id));
  expect((await readdir(dataDir)).filter((name) => name.startsWith('master.key'))).toEqual([
    'master.key',
  ]);
  const server = await startProgram({}, dataDir);
  expect((await issue(server)).status).toBe(200);
  await stop(server);
});

test('a rotation of the master key loses nothing if killed or run twice at once', async () => {
  const dataDir = await stoppedInstallation();
  await addSealed(urlIn(dataDir), await readMasterKeyFile(dataDir), 300);
  for (let delayMs = 150; delayMs <= 900; delayMs += 75) {
    const programs = await Promise.all(
      [1, 2].map(() => spawnProgram({}, dataDir, ['rotate-master-key'])),
    );
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    for (const program of programs) await program.kill();
  }

  const { code, stderr } = await rotate(dataDir);

  expect([code, stderr()]).toEqual([0, '']);
  expect(await masterKeyIds(urlIn(dataDir))).toEqual(Array(302).fill((await fileKey(dataDir)).id));
}, 120_000);

test('a rotation with LATCHKEY_MASTER_KEY alone says which settings it needs', async () => {
  const dataDir = await stoppedInstallation();
  const key = Buffer.from(await readMasterKeyFile(dataDir)).toString('hex');

  const { code, stdout, stderr } = await rotate(dataDir, { LATCHKEY_MASTER_KEY: key });

  expect([code, stdout()]).toEqual([
    0,
    `Values encrypted with the new master key ${(await fileKey(dataDir)).id}: 0\n` +
      'Values that were already encrypted with it: 1\n',
  ]);
  expect(stderr()).toBe(
    'Nothing changed. To rotate the master key, set LATCHKEY_MASTER_KEY to a new key and\n' +
      'LATCHKEY_PREVIOUS_MASTER_KEY to the old one.\n',
  );
});

test('a rotation of the master key in an empty folder is refused and leaves no file', async () => {
  const dataDir = await newDataDir();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));

  const { code, stderr } = await rotate(dataDir);

  expect(code).toBe(1);
  expect(stderr()).toContain('latchkey.db does not exist');
  expect(await readdir(dataDir)).toEqual([]);
});

test('a rotation of the master key with the wrong data folder writes nothing', async () => {
  const dataDir = await stoppedInstallation();
  const other = await stoppedInstallation();
  const empty = await newDataDir();
  onTestFinished(() => rm(empty, { recursive: true, force: true }));
  for (const [wrong, reason] of [
    [empty, 'contains no master.key; check LATCHKEY_DATA_DIR'],
    [path.join(empty, 'missing'), 'contains no master.key; check LATCHKEY_DATA_DIR'],
    [other, 'which is not given'],
  ] as const) {
    const before = await filesIn(wrong);
    const env = { LATCHKEY_DATABASE_URL: urlIn(dataDir), LATCHKEY_DATA_DIR: wrong };
    const program = await spawnProgram(env, empty, ['rotate-master-key']);
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toContain(reason);
    expect(await filesIn(wrong)).toEqual(before);
  }
  expect(await masterKeyIds(urlIn(dataDir))).toEqual([(await fileKey(dataDir)).id]);
});

test('doctor and recover-staff write nothing to the wrong data folder', async () => {
  const databaseUrl = urlIn(await stoppedInstallation());
  const empty = await newDataDir();
  onTestFinished(() => rm(empty, { recursive: true, force: true }));
  for (const words of [['doctor'], ['doctor', '--blobs'], ['recover-staff', 'a@example.com']]) {
    for (const wrong of [empty, path.join(empty, 'missing')]) {
      const env = { LATCHKEY_DATABASE_URL: databaseUrl, LATCHKEY_DATA_DIR: wrong };
      await (await spawnProgram(env, empty, words)).ended;
      expect(await readdir(empty)).toEqual([]);
    }
  }
});

test('a rotation of the master key leaves an empty database empty', async () => {
  const dataDir = await stoppedInstallation();
  const file = path.join(await newDataDir(), 'empty.db');
  onTestFinished(() => rm(path.dirname(file), { recursive: true, force: true }));
  await writeFile(file, '');
  const env = { LATCHKEY_DATABASE_URL: `sqlite:${file}` };
  const program = await spawnProgram(env, dataDir, ['rotate-master-key']);
  expect(await program.ended).toBe(1);
  expect(program.stderr()).toContain('the database is empty');
  expect(await readFile(file, 'utf8')).toBe('');
});

test('a server with the old master key stops serving, and only its log says why', async () => {
  const program = await startProgram();
  onTestFinished(() => program.remove());
  const readiness = async () => (await issue(program)).status;
  expect(await readiness()).toBe(200);
  const before = await fileKey(program.dataDir);

  expect((await rotate(program.dataDir)).code).toBe(0);

  await expect.poll(readiness, { timeout: 30_000 }).toBe(503);
  const refused = await (await issue(program)).text();
  expect(refused).toContain('The service cannot update its cached data.');
  expect(refused).not.toMatch(/master key|decrypt/);
  const after = await fileKey(program.dataDir);
  await expect.poll(program.stdout).toContain(`the master key ${before.id} of this process cannot`);
  expect(program.stdout()).toContain(`encrypted with another master key, ${after.id}`);
}, 60_000);

test('an unknown command or argument prints the usage, and names the command', async () => {
  const cases = [
    {
      words: ['rotate'],
      expected:
        'The command "rotate" is unknown. Did you mean one of clients secrets rotate, ' +
        'customers keys rotate, api-keys rotate?\nHelp: latchkey --help\n',
    },
    {
      words: ['toString'],
      expected: 'The command "toString" is unknown.\nHelp: latchkey --help\n',
    },
    {
      words: ['--port'],
      expected: 'The option "--port" is unknown.\nUsage: latchkey <command> [options]\n',
    },
    {
      words: ['serve', 'now'],
      expected: 'Unexpected argument "now".\nUsage: latchkey serve\n',
    },
  ];
  for (const { words, expected } of cases) {
    const program = await spawnProgram({}, undefined, words);
    onTestFinished(() => program.remove());
    expect(await program.ended).toBe(2);
    expect(program.stderr().startsWith(expected)).toBe(true);
  }
});

test('no private signing key is stored in plain text', async () => {
  const dataDir = await stoppedInstallation();
  await addSealed(urlIn(dataDir), await readMasterKeyFile(dataDir), 5);
  const masterKey = await fileKey(dataDir);
  const sealed = await withDatabase(urlIn(dataDir), (db) => sealedSigningKeys.read(db));
  await rotate(dataDir);

  const entries = await readdir(dataDir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  expect(names).toContain('latchkey.db');
  const files = await Promise.all(names.map((name) => readFile(path.join(dataDir, name))));
  const bytes = Buffer.concat(files);
  expect(sealed).toHaveLength(6);
  for (const { id, ciphertext } of sealed) {
    const der = masterKey.open(ciphertext, sealedSigningKeys.purpose(id));
    // The seed is the last part of PKCS #8 (RFC 8410 §7).
    const seed = der.subarray(-32);
    for (const form of [
      seed,
      Buffer.from(seed.toString('hex')),
      Buffer.from(seed.toString('base64').slice(0, 42)),
      Buffer.from(seed.toString('base64url').slice(0, 42)),
      Buffer.from(der.toString('base64').slice(0, 60)),
    ]) {
      expect(bytes.includes(form)).toBe(false);
    }
    // Proves that the search works: the key's id is found.
    expect(bytes.includes(id)).toBe(true);
  }
});
