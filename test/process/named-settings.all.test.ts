// If a command cannot use a setting, it names the setting in one line.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type ProgramEnv, spawnProgram } from '../support/program.ts';
import { itHoldsFor } from '../support/rule.ts';

/** Returns the output of a command that fails. */
async function failureOf(env: ProgramEnv, command = 'serve'): Promise<string> {
  const program = await spawnProgram(env, undefined, [command]);
  onTestFinished(() => program.remove());
  expect(await program.ended, program.stderr()).toBe(1);
  return program.stderr() + (command === 'serve' ? '' : program.stdout());
}

async function newFile(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'file');
  await writeFile(file, 'text');
  return file;
}

describe('an error of a start names', () => {
  itHoldsFor([
    ['that is a file', (file: string) => file, (file: string) => file],
    ['below a file', (file: string) => `${file}/data`, (file: string) => `${file}/data`],
  ])('the setting of a folder that cannot be made', async (_, folderOf, namedOf) => {
    const file = await newFile();
    const folder = folderOf(file);
    const reason = `${namedOf(file)} is not a folder\n`;

    expect(await failureOf({ LATCHKEY_DATA_DIR: folder })).toBe(
      `Latchkey cannot start: LATCHKEY_DATA_DIR: ${reason}`,
    );
    expect(await failureOf({ LATCHKEY_BLOB_URL: `file:${folder}` })).toBe(
      `Latchkey cannot start: LATCHKEY_BLOB_URL: ${reason}`,
    );
  });

  it('the setting of a folder below /proc, where Node would never return', async () => {
    expect(await failureOf({ LATCHKEY_DATA_DIR: '/proc/x/data' })).toMatch(
      /^Latchkey cannot start: LATCHKEY_DATA_DIR: ENOENT.*'\/proc\/x'\n$/,
    );
    expect(await failureOf({ LATCHKEY_BLOB_URL: 'file:/proc/x' })).toMatch(
      /^Latchkey cannot start: LATCHKEY_BLOB_URL: ENOENT.*'\/proc\/x'\n$/,
    );
  });

  itHoldsFor(['serve', 'migrate', 'doctor'])(
    'LATCHKEY_DATABASE_URL if the folder of the SQLite file is missing',
    async (command) => {
      const text = await failureOf({ LATCHKEY_DATABASE_URL: 'sqlite:/missing/x/y.db' }, command);
      expect(text).toContain(
        'cannot open the database /missing/x/y.db: its folder does not exist; ' +
          'check LATCHKEY_DATABASE_URL\n',
      );
    },
  );
});

describe('a PostgreSQL server that requires a password', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres({
      prepare: (dataDir) =>
        writeFile(path.join(dataDir, 'pg_hba.conf'), 'host all all 127.0.0.1/32 scram-sha-256\n'),
    });
  });
  afterAll(() => postgres?.stop());

  itHoldsFor(['serve', 'migrate', 'doctor'])('is reported by each command', async (command) => {
    const text = await failureOf({ LATCHKEY_DATABASE_URL: postgres.url }, command);
    expect(text).toMatch(/the server requires a password; check LATCHKEY_DATABASE_URL/);
    expect(text).not.toContain('SASL');
  });
});
