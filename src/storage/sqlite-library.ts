// The better-sqlite3 for this Node. Version 13 needs Node-API 10, which Node 20 does not have.
// Version 12, compiled for Node 24.19 or newer, ends the process when V8 collects a statement.
import { createRequire } from 'node:module';
import type SQLiteClass from 'better-sqlite3';

const load = createRequire(import.meta.url);
const hasNodeApi10 = Number(process.versions.napi) >= 10;

export const SQLite: typeof SQLiteClass = load(
  hasNodeApi10 ? 'better-sqlite3' : 'better-sqlite3-node20',
);
