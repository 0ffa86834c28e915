// SQLite: one file, one connection.
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import SQLite from 'better-sqlite3';
import { type Dialect, SqliteAdapter, SqliteDialect } from 'kysely';
import { codeOf } from '../files/error-code.ts';

/** A dialect of Kysely with its connections. */
export type Opened = {
  readonly dialect: Dialect;
  /** To be called once the schema is up to date. */
  readonly ready: () => void;
};

/** Opens a file, which is made if it is missing. */
export function sqlite(file: string): Opened {
  const database = openSqlite(file);
  return {
    dialect: new OurSqliteDialect(database),
    // From now on a busy file is waited for in `transact`, not in the driver, where the wait would
    // stop the event loop.
    ready: () => database.pragma('busy_timeout = 0'),
  };
}

/** The file that keeps room on the disk of a database. */
export const reserveFileOf = (file: string) => `${file}-reserve`;

function openSqlite(file: string): SQLite.Database {
  try {
    return openFile(file);
  } catch (cause) {
    const isFull = /^(SQLITE_(IOERR|FULL)|ENOSPC)/.test(codeOf(cause));
    // After a clean stop, SQLite needs room for the files that it makes next to the database.
    if (isFull && existsSync(reserveFileOf(file))) {
      rmSync(reserveFileOf(file), { force: true });
      return openSqlite(file);
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    const hint = isFull ? ' (is the disk full?)' : '';
    throw new Error(`cannot open the database ${file}: ${reason}${hint}`, { cause });
  }
}

function openFile(file: string): SQLite.Database {
  // SQLite gives the files next to it the same mode.
  if (file !== ':memory:' && !existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const database = new SQLite(file, { timeout: 5_000 });
  try {
    // A commit is on the disk when it returns.
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

class OurSqliteDialect extends SqliteDialect {
  readonly #database: SQLite.Database;

  constructor(database: SQLite.Database) {
    super({ database });
    this.#database = database;
  }

  /** Does migrations whole or not at all, which SQLite can, though Kysely does not expect it. */
  override createAdapter() {
    return new TransactionalSqliteAdapter();
  }

  /**
   * Where its disk is full, SQLite has rolled back by itself. To do it again would fail, and that
   * failure would hide the true one.
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

class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true;
  }
}

/** A file that must exist, for reading alone. */
export function sqliteUnchanged(file: string): Dialect {
  const database = new SQLite(file, { fileMustExist: true, timeout: 5_000 });
  database.pragma('query_only = ON');
  return new SqliteDialect({ database });
}
