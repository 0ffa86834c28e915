// SQLite: one file, one connection.
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import SQLite from 'better-sqlite3';
import { type Dialect, SqliteDialect, sql } from 'kysely';
import { errorCodeOf } from '../files/error-code.ts';
import type { Database } from './schema.ts';

/** A Kysely dialect with open connections. */
export type OpenedDialect = {
  readonly dialect: Dialect;
  /** Opens a connection for migrations. Undefined if they use the same connection. */
  readonly openForMigration?: () => Dialect;
  /** See `MigrationDialect`. */
  readonly beginMigration: (connection: Database) => Promise<boolean>;
  /** The caller calls this once the schema is migrated. */
  readonly ready: () => void;
};

/** Opens a database file, and creates it if it is missing. */
export function openSqlite(file: string): OpenedDialect {
  const database = openWithReserve(file);
  return {
    dialect: new OurSqliteDialect(database),
    beginMigration,
    // From now on `transact` waits for a busy file. Waiting in the driver would block the event
    // loop.
    ready: () => database.pragma('busy_timeout = 0'),
  };
}

/** Returns the path of the file that reserves disk space for a database. */
export const reserveFileOf = (file: string) => `${file}-reserve`;

function openWithReserve(file: string): SQLite.Database {
  try {
    return openFile(file);
  } catch (cause) {
    const isFull = /^(SQLITE_(IOERR|FULL)|ENOSPC)/.test(errorCodeOf(cause));
    // After a clean stop, SQLite needs space to create the files next to the database.
    if (isFull && existsSync(reserveFileOf(file))) {
      rmSync(reserveFileOf(file), { force: true });
      return openWithReserve(file);
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    const hint = isFull ? ' (is the disk full?)' : '';
    throw new Error(`cannot open the database ${file}: ${reason}${hint}`, { cause });
  }
}

function openFile(file: string): SQLite.Database {
  // SQLite creates the files next to the database with the mode of the database file.
  if (file !== ':memory:' && !existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const database = new SQLite(file, { timeout: 5_000 });
  try {
    // With WAL and `synchronous = FULL`, a commit is on the disk when it returns.
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
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
    if (errorCodeOf(error).startsWith('SQLITE_BUSY')) return false;
    throw error;
  }
}

class OurSqliteDialect extends SqliteDialect {
  readonly #database: SQLite.Database;

  constructor(database: SQLite.Database) {
    super({ database });
    this.#database = database;
  }

  /**
   * On a full disk, SQLite has already rolled back by itself. A second rollback would fail and hide
   * the original error.
   */
  override createDriver() {
    const driver = super.createDriver();
    const rollback = driver.rollbackTransaction.bind(driver);
    driver.rollbackTransaction = async (connection) => {
      if (this.#database.inTransaction) await rollback(connection);
    };
    return driver;
  }
}

/** Opens an existing file for reading only. */
export function openSqliteReadOnly(file: string): Dialect {
  const database = new SQLite(file, { fileMustExist: true, timeout: 5_000 });
  database.pragma('query_only = ON');
  return new SqliteDialect({ database });
}
