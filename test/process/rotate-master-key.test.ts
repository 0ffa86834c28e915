import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMasterKey } from '../../src/identity/keys/master-key.ts';
import {
  makeNextMasterKeyFile,
  readMasterKeyFile,
} from '../../src/identity/keys/master-key-file.ts';
import { reseal, sealedSigningKeys } from '../../src/identity/keys/sealed.ts';
import { generateSigningKey, newKeyRow } from '../../src/identity/keys/signing-key.ts';
import { insertSigningKey } from '../../src/identity/keys/store.ts';
import { openDatabase, transact } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/schema.ts';
import { freshPostgresDatabase } from '../support/fresh-postgres.ts';
import { type Program, spawnProgram, startProgram } from '../support/program.ts';

const oldKey = '11'.repeat(32);
const newKey = '22'.repeat(32);
const strangeKey = '33'.repeat(32);
const idOf = (hex: string) => createMasterKey(Buffer.from(hex, 'hex')).id;

type Env = Record<string, string>;

/** Starts a server once, and stops it. */
async function usedFolder(env: Env = {}): Promise<string> {
  const program = await startProgram(env);
  onTestFinished(() => program.remove());
  await stop(program);
  return program.dataDir;
}

async function stop(program: Program): Promise<void> {
  program.child.kill('SIGTERM');
  expect(await program.ended).toBe(0);
}

async function rotate(dataDir: string, env: Env = {}): Promise<Program & { code: unknown }> {
  const program = await spawnProgram(env, dataDir, ['rotate-master-key']);
  return { ...program, code: await program.ended };
}

/** Tells by which key a server that starts there signs; it has to start. */
async function serve(dataDir: string, env: Env = {}): Promise<string> {
  const program = await startProgram(env, dataDir);
  const response = await fetch(`${program.env.LATCHKEY_BASE_URL}/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: program.env.CLIENT_ID,
      client_secret: program.env.CLIENT_SECRET,
      scope: 'accounts:read',
    }),
  });
  expect(response.status).toBe(200);
  const { access_token } = (await response.json()) as { access_token: string };
  await stop(program);
  const header = Buffer.from(access_token.split('.')[0] ?? '', 'base64url').toString();
  return (JSON.parse(header) as { kid: string }).kid;
}

async function withDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase(url);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

const urlIn = (dataDir: string) => `sqlite:${dataDir}/latchkey.db`;

/** The ids of the master keys that something is encrypted under. */
function masterKeyIds(url: string): Promise<string[]> {
  return withDatabase(url, async (db) => {
    const tables = [
      await db.selectFrom('signing_keys').select('master_key_id').execute(),
      await db.selectFrom('totp_seeds').select('master_key_id').execute(),
    ];
    return tables.flat().map(({ master_key_id }) => master_key_id);
  });
}

/** Adds pending keys and a second factor, all of them encrypted. */
function addSealed(url: string, bytes: Uint8Array, count: number): Promise<void> {
  const masterKey = createMasterKey(bytes);
  return withDatabase(url, async (db) => {
    const keys = await Promise.all(
      Array.from({ length: count }, () => generateSigningKey(masterKey)),
    );
    await transact(db, async (trx) => {
      for (const key of keys) await insertSigningKey(trx, newKeyRow(key, 'pending', Date.now()));
      const user = await trx.selectFrom('users').select('id').executeTakeFirstOrThrow();
      await trx
        .insertInto('totp_seeds')
        .values({
          user_id: user.id,
          ciphertext: masterKey.seal(Buffer.alloc(20, 'seed'), `totp seed ${user.id}`),
          master_key_id: masterKey.id,
          create_time: Date.now(),
          confirm_time: null,
          last_step: 0,
        })
        .execute();
    });
  });
}

const fileKey = async (dataDir: string) =>
  createMasterKey(
    Buffer.from((await readFile(path.join(dataDir, 'master.key'), 'utf8')).trim(), 'hex'),
  );

describe('rotating the master key', () => {
  test('of the data folder puts a new one in its place, once all is under it', async () => {
    const dataDir = await usedFolder();
    const kid = await serve(dataDir);
    const before = await fileKey(dataDir);
    await addSealed(urlIn(dataDir), await readMasterKeyFile(dataDir), 2);

    const { code, stdout, stderr } = await rotate(dataDir);

    const after = await fileKey(dataDir);
    expect([code, stderr()]).toEqual([0, '']);
    expect(stdout()).toBe(
      `Values encrypted anew under the master key ${after.id}: 4\nValues that already were: 0\n`,
    );
    expect(after.id).not.toBe(before.id);
    expect(await masterKeyIds(urlIn(dataDir))).toEqual(Array(4).fill(after.id));
    expect((await readdir(dataDir)).filter((name) => name.startsWith('master.key'))).toEqual([
      'master.key',
    ]);
    expect(await serve(dataDir)).toBe(kid);
  });

  test.each(['sqlite', 'postgres'])(
    'of the settings encrypts anew what is under the one before, and again nothing (%s)',
    async (dialect) => {
      const database: Env =
        dialect === 'postgres'
          ? {
              LATCHKEY_DATABASE_URL: await freshPostgresDatabase(),
              LATCHKEY_BOOTSTRAP: 'demo',
            }
          : {};
      const dataDir = await usedFolder({ ...database, LATCHKEY_MASTER_KEY: oldKey });
      const url = database.LATCHKEY_DATABASE_URL ?? urlIn(dataDir);
      await addSealed(url, Buffer.from(oldKey, 'hex'), 2);
      const env = { ...database, LATCHKEY_MASTER_KEY: newKey };
      const both = { ...env, LATCHKEY_PREVIOUS_MASTER_KEY: oldKey };
      const kid = await serve(dataDir, both);

      const first = await rotate(dataDir, both);
      const second = await rotate(dataDir, both);
      const third = await rotate(dataDir, env);

      expect([first.code, second.code, third.code]).toEqual([0, 0, 0]);
      expect(first.stdout()).toMatch(/: 4\n.*: 0\n$/);
      expect(second.stdout()).toMatch(/: 0\n.*: 4\n$/);
      expect(third.stdout()).toBe(second.stdout());
      expect(await masterKeyIds(url)).toEqual(Array(4).fill(idOf(newKey)));
      expect(await readdir(dataDir)).not.toContain('master.key');
      expect(await serve(dataDir, env)).toBe(kid);
    },
  );

  test('from the settings to the data folder, and back, is one like any other', async () => {
    const dataDir = await usedFolder({ LATCHKEY_MASTER_KEY: oldKey });
    const toFile = await rotate(dataDir, { LATCHKEY_PREVIOUS_MASTER_KEY: oldKey });
    expect(toFile.stderr()).toBe('');
    const file = await readFile(path.join(dataDir, 'master.key'), 'utf8');
    expect(await masterKeyIds(urlIn(dataDir))).toEqual([(await fileKey(dataDir)).id]);
    await serve(dataDir);

    const back = { LATCHKEY_MASTER_KEY: newKey, LATCHKEY_PREVIOUS_MASTER_KEY: file.trim() };
    expect((await rotate(dataDir, back)).code).toBe(0);
    expect(await masterKeyIds(urlIn(dataDir))).toEqual([idOf(newKey)]);
    await serve(dataDir, { LATCHKEY_MASTER_KEY: newKey });
  });

  test('is refused, and changes nothing, where a value opens under no key', async () => {
    const dataDir = await usedFolder({ LATCHKEY_MASTER_KEY: oldKey });
    await addSealed(urlIn(dataDir), Buffer.from(strangeKey, 'hex'), 1);
    const before = await masterKeyIds(urlIn(dataDir));

    const env = { LATCHKEY_MASTER_KEY: newKey, LATCHKEY_PREVIOUS_MASTER_KEY: oldKey };
    const { code, stderr, stdout } = await rotate(dataDir, env);

    expect([code, stdout()]).toEqual([1, '']);
    expect(stderr()).toMatch(
      new RegExp(
        `^The master key was not rotated: the signing key [\\w-]{43} was encrypted under ` +
          `the master key ${idOf(strangeKey)}, which is not given\n$`,
      ),
    );
    expect(await masterKeyIds(urlIn(dataDir))).toEqual(before);
    await serve(dataDir, { LATCHKEY_MASTER_KEY: oldKey });
  });

  test('is refused where there is nothing that was ever encrypted', async () => {
    const dataDir = await usedFolder();
    const url = `sqlite:${dataDir}/mistyped.db`;
    const { code, stderr } = await rotate(dataDir, { LATCHKEY_DATABASE_URL: url });
    expect(code).toBe(1);
    expect(stderr()).toContain('the database is empty');
    expect(await readdir(dataDir)).not.toContain('master.key.next');
  });

  test('is undone whole where it fails half-way', async () => {
    const dataDir = await usedFolder({ LATCHKEY_MASTER_KEY: oldKey });
    await addSealed(urlIn(dataDir), Buffer.from(oldKey, 'hex'), 3);
    const masterKey = createMasterKey(Buffer.from(newKey, 'hex'), [Buffer.from(oldKey, 'hex')]);
    let written = 0;
    const failing: typeof sealedSigningKeys = {
      ...sealedSigningKeys,
      async write(db, value) {
        if (++written === 3) throw new Error('the disk is full');
        await sealedSigningKeys.write(db, value);
      },
    };

    await withDatabase(urlIn(dataDir), async (db) => {
      const work = transact(db, (trx) => reseal(trx, [failing], masterKey));
      await expect(work).rejects.toThrow('the disk is full');
    });

    expect(await masterKeyIds(urlIn(dataDir))).toEqual(Array(5).fill(idOf(oldKey)));
  });

  test('that was cut off before the file was replaced is served, and ended by the next', async () => {
    const dataDir = await usedFolder();
    const own = await readMasterKeyFile(dataDir);
    const next = await makeNextMasterKeyFile(dataDir);
    const masterKey = createMasterKey(next, [own]);
    await withDatabase(urlIn(dataDir), (db) =>
      transact(db, (trx) => reseal(trx, [sealedSigningKeys], masterKey)),
    );
    const kid = await serve(dataDir);

    const { code, stdout } = await rotate(dataDir);

    expect(code).toBe(0);
    expect(stdout()).toMatch(/: 0\n.*: 1\n$/);
    expect((await fileKey(dataDir)).id).toBe(masterKey.id);
    expect(await serve(dataDir)).toBe(kid);
  });

  test('loses nothing, whenever it is killed and however many do it at once', async () => {
    const dataDir = await usedFolder();
    const kid = await serve(dataDir);
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
    expect(await masterKeyIds(urlIn(dataDir))).toEqual(
      Array(302).fill((await fileKey(dataDir)).id),
    );
    expect(await serve(dataDir)).toBe(kid);
  });
});

test('a server that has the old master key alone stops to serve by it', async () => {
  const program = await startProgram();
  onTestFinished(() => program.remove());
  const readiness = async () =>
    (
      await fetch(`${program.env.LATCHKEY_BASE_URL}/tokens`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          client_id: program.env.CLIENT_ID,
          client_secret: program.env.CLIENT_SECRET,
          scope: 'accounts:read',
        }),
      })
    ).status;
  expect(await readiness()).toBe(200);

  expect((await rotate(program.dataDir)).code).toBe(0);

  await expect.poll(readiness, { timeout: 15_000 }).toBe(503);
});

test('a command that there is not is told how to be written', async () => {
  for (const words of [['rotate'], ['toString'], ['serve', 'now']]) {
    const program = await spawnProgram({}, undefined, words);
    onTestFinished(() => program.remove());
    expect(await program.ended).toBe(2);
    expect(program.stderr()).toBe('Usage: latchkey [serve | rotate-master-key]\n');
  }
});

test('no private part of a signing key is written in the clear', async () => {
  const dataDir = await usedFolder();
  await addSealed(urlIn(dataDir), await readMasterKeyFile(dataDir), 5);
  const masterKey = await fileKey(dataDir);
  const sealed = await withDatabase(urlIn(dataDir), (db) => sealedSigningKeys.read(db));
  await rotate(dataDir);

  const names = (await readdir(dataDir)).filter((name) => name !== 'blobs');
  expect(names).toContain('latchkey.db');
  const files = await Promise.all(names.map((name) => readFile(path.join(dataDir, name))));
  const bytes = Buffer.concat(files);
  expect(sealed).toHaveLength(6);
  for (const { id, ciphertext } of sealed) {
    const der = masterKey.open(ciphertext, sealedSigningKeys.purpose(id));
    // The seed stands at the end of PKCS #8 (RFC 8410 §7).
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
    // It would have been found: its id is there.
    expect(bytes.includes(id)).toBe(true);
  }
});
