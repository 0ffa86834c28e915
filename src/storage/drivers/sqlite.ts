// SQLite: one file, one connection.
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import type { Database as SqliteDatabase } from 'better-sqlite3';
import { type Dialect, SqliteDialect, sql } from 'kysely';
import { errorCodeOf } from '../../base/files/error-code.ts';
import { createTranslate } from '../queries/folded-text.ts';
import type { Database } from '../schema/schema.ts';
import type { CountConnections } from './connection-counts.ts';
import { isBusy, repeatWhileBusy, SqliteDriver } from './sqlite-driver.ts';
import { openErrorOf, requireSqliteFile } from './sqlite-file.ts';
import { loadSqlite, openSqliteFile } from './sqlite-library.ts';

/** A Kysely dialect with open connections. */
export type OpenedDialect = {
  readonly dialect: Dialect;
  /** Opens a connection for migrations. Undefined if they use the same connection. */
  readonly openForMigration?: () => Dialect;
  /** See `MigrationDialect`. */
  readonly beginMigration: (connection: Database) => Promise<boolean>;
  readonly lockTables?: (connection: Database) => Promise<void>;
  /** Undefined without a pool. */
  readonly countConnections?: CountConnections;
};

export async function openSqlite(file: string): Promise<OpenedDialect> {
  const database = await openWithReserve(file);
  return {
    dialect: new OurSqliteDialect(database),
    beginMigration,
  };
}

export const reserveFileOf = (file: string) => `${file}-reserve`;

async function openWithReserve(file: string): Promise<SqliteDatabase> {
  requireSqliteFile(file);
  loadSqlite();
  try {
    // SQLite does not wait for its busy timeout while several processes set the journal mode.
    return await repeatWhileBusy(() => openFile(file));
  } catch (cause) {
    const isFull = /^(SQLITE_(IOERR|FULL)|ENOSPC)/.test(errorCodeOf(cause));
    // After a clean stop, SQLite needs space to create the files next to the database.
    if (isFull && existsSync(reserveFileOf(file))) {
      rmSync(reserveFileOf(file), { force: true });
      return openWithReserve(file);
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw openErrorOf(file, `${reason}${isFull ? ' (is the disk full?)' : ''}`, cause);
  }
}

function openFile(file: string): SqliteDatabase {
  // SQLite creates the files next to the database with the mode of the database file.
  if (file !== ':memory:' && !existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const database = openSqliteFile(file, { timeout: 0 });
  try {
    // With WAL and `synchronous = FULL`, a commit is on the disk when it returns.
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    database.function('translate', { deterministic: true }, createTranslate());
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

async function beginMigration(connection: Database): Promise<boolean> {
  try {
    await sql`begin immediate`.execute(connection);
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

class OurSqliteDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override createDriver() {
    return new SqliteDriver(this.#database);
  }
}

export function openSqliteReadOnly(file: string): Dialect {
  requireSqliteFile(file);
  const database = openSqliteFile(file, { fileMustExist: true, timeout: 5_000 });
  database.pragma('query_only = ON');
  return new SqliteDialect({ database });
}
