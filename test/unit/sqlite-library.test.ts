import { expect, test } from 'vitest';
import { loadSqlite } from '../../src/storage/drivers/sqlite-library.ts';

test('a missing SQLite package is an error with the next step', () => {
  expect(() => loadSqlite('better-sqlite3-missing')).toThrow(
    /^cannot load SQLite for Node [\d.]+: Cannot find module 'better-sqlite3-missing'; install/,
  );
});
