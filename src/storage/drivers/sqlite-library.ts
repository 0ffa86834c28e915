// The better-sqlite3 for this Node. Version 13 needs Node-API 10, which Node 20 does not have.
// Version 12, compiled for Node 24.19 or newer, ends the process when V8 collects a statement. Both
// are optional packages, because a node with PostgreSQL needs neither.
import { createRequire } from 'node:module';
import type { Database, default as Library, Options } from 'better-sqlite3';

const load = createRequire(import.meta.url);
const hasNodeApi10 = Number(process.versions.napi) >= 10;
const packageName = hasNodeApi10 ? 'better-sqlite3' : 'better-sqlite3-node20';

/** Throws an error with the next step if the package or its native code is missing. */
export function loadSqlite(name = packageName): typeof Library {
  try {
    const library: typeof Library = load(name);
    // Loads the native code.
    new library(':memory:').close();
    return library;
  } catch (cause) {
    const [reason] = String(cause instanceof Error ? cause.message : cause).split('\n');
    const message =
      `cannot load SQLite for Node ${process.versions.node}: ${reason}; install the optional ` +
      'packages with "npm ci", or set LATCHKEY_DATABASE_URL to a PostgreSQL database';
    throw new Error(message, { cause });
  }
}

let library: typeof Library | undefined;

export function openSqliteFile(file: string, options?: Options): Database {
  library ??= loadSqlite();
  return new library(file, options);
}
