import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/base/config/config.ts';
import { problemsOf } from '../support/config-problems.ts';
import { itHoldsFor } from '../support/rule.ts';

const key = 'ab'.repeat(32);
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'latchkey-secrets-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(content: string): string {
  const file = path.join(folder, `${Math.random()}`);
  writeFileSync(file, content);
  return file;
}

itHoldsFor(['', '\n', '\r\n'])('a secret is read from a file with any line end', (end) => {
  const config = readConfig({ LATCHKEY_MASTER_KEY_FILE: fileWith(`${key}${end}`) });

  expect(config.masterKey).toEqual(Buffer.alloc(32, 0xab));
});

test('defaults that depend on a setting also depend on its file', () => {
  const url = 'postgres://latchkey:a%20b@db.example/latchkey';
  const config = readConfig({ LATCHKEY_DATABASE_URL_FILE: fileWith(`${url}\n`) });

  expect(config).toMatchObject({ databaseUrl: url, bootstrap: 'owner' });
});

test('a secret and its file cannot be set together', () => {
  const env = { LATCHKEY_MASTER_KEY: key, LATCHKEY_MASTER_KEY_FILE: fileWith(key) };

  expect(problemsOf(env)).toEqual([
    'LATCHKEY_MASTER_KEY_FILE: must not be set together with LATCHKEY_MASTER_KEY',
  ]);
});

test('a missing or empty file is an error', () => {
  expect(
    problemsOf({
      LATCHKEY_MASTER_KEY_FILE: path.join(folder, 'missing'),
      LATCHKEY_SMTP_URL_FILE: fileWith('\n'),
      LATCHKEY_DATABASE_URL_FILE: folder,
    }),
  ).toEqual([
    'LATCHKEY_DATABASE_URL_FILE: names a file that cannot be read (EISDIR)',
    'LATCHKEY_MASTER_KEY_FILE: names a file that cannot be read (ENOENT)',
    'LATCHKEY_SMTP_URL_FILE: names an empty file',
  ]);
});

test('an invalid secret in a file is an error without its value', () => {
  expect(problemsOf({ LATCHKEY_MASTER_KEY_FILE: fileWith('secret') })).toEqual([
    'LATCHKEY_MASTER_KEY: must be 32 bytes, as 64 hexadecimal digits',
  ]);
});

test('other settings have no file', () => {
  expect(problemsOf({ LATCHKEY_AUDIENCE_FILE: fileWith('x') })).toEqual([
    'LATCHKEY_AUDIENCE_FILE: there is no such setting',
  ]);
});
