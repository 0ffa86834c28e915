// Runs `latchkey rotate-master-key` as a process.
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readMasterKeyFile } from '../../src/crypto/master-key-file.ts';
import { sealedSigningKeys } from '../../src/identity/keys/sealed-values.ts';
import { addSealed, fileKey, masterKeyIds, urlIn, withDatabase } from '../support/master-keys.ts';
import {
  newDataDir,
  type Program,
  type RunningProgram,
  spawnProgram,
  startProgram,
} from '../support/program.ts';
import { stoppedInstallation } from '../support/stopped-installation.ts';

async function stop(program: Program): Promise<void> {
  program.child.kill('SIGTERM');
  expect(await program.ended).toBe(0);
}

async function rotate(dataDir: string): Promise<Program & { code: unknown }> {
  const program = await spawnProgram({}, dataDir, ['rotate-master-key']);
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

test('a rotation of the master key in an empty folder is refused and leaves no file', async () => {
  const dataDir = await newDataDir();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));

  const { code, stderr } = await rotate(dataDir);

  expect(code).toBe(1);
  expect(stderr()).toContain('latchkey.db does not exist');
  expect(await readdir(dataDir)).toEqual([]);
});

test('a server with the old master key stops serving', async () => {
  const program = await startProgram();
  onTestFinished(() => program.remove());
  const readiness = async () => (await issue(program)).status;
  expect(await readiness()).toBe(200);

  expect((await rotate(program.dataDir)).code).toBe(0);

  await expect.poll(readiness, { timeout: 30_000 }).toBe(503);
}, 60_000);

test('an unknown command or argument prints the usage, and names the command', async () => {
  const cases = [
    { words: ['rotate'], expected: 'There is no command "rotate".\nUsage: latchkey [<command>]\n' },
    {
      words: ['toString'],
      expected: 'There is no command "toString".\nUsage: latchkey [<command>]\n',
    },
    { words: ['--port'], expected: 'There is no option "--port".\nUsage: latchkey [<command>]\n' },
    { words: ['serve', 'now'], expected: 'Unexpected argument "now".\nUsage: latchkey serve\n' },
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
