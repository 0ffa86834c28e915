// Opens the database: an SQLite file or a PostgreSQL server, with one schema.
import { Kysely, type Transaction } from 'kysely';
import { Failure, fail } from '../base/errors/errors.ts';
import { errorCodeOf } from '../base/files/error-code.ts';
import { CommitListeners, commitListenersOf, WriteRecorder } from './changes/cached-tables.ts';
import { countWith } from './drivers/connection-counts.ts';
import type { PostgresSettings } from './drivers/postgres.ts';
import {
  explainConnectError,
  isPostgresUnavailable,
  sqlStateOf,
} from './drivers/postgres-errors.ts';
import { requireWritableServer } from './drivers/postgres-writable.ts';
import { startTransactionSpan } from './drivers/spans.ts';
import { type OpenedDialect, openSqlite, openSqliteReadOnly } from './drivers/sqlite.ts';
import { type Prepared, prepareSchema } from './prepare-schema.ts';
import type { EntityChange } from './schema/change.ts';
import type { Database, Schema } from './schema/schema.ts';

export type DatabaseSettings = PostgresSettings & {
  /** Whether to apply missing migrations (`auto`) or to refuse to open the database (`off`). */
  readonly migrate?: 'auto' | 'off';
};

/**
 * Opens `url` (`sqlite:<file>` or `postgres://…`) with the latest schema of this version, or with a
 * newer one that this version supports. The caller closes the database with `destroy()`.
 */
export async function openDatabase(
  url: string,
  settings: DatabaseSettings = {},
): Promise<Database> {
  const opened = await openDialect(url, settings);
  const db = new Kysely<Schema>({ dialect: opened.dialect });
  try {
    await prepareSchema(db, opened, settings);
    const database = db.withPlugin(new CommitListeners());
    if (opened.countConnections) countWith(database, opened.countConnections);
    return database;
  } catch (error) {
    await db.destroy();
    throw explainConnectError(error);
  }
}

export async function migrateDatabase(url: string, settings: PostgresSettings): Promise<Prepared> {
  const opened = await openDialect(url, settings);
  const db = new Kysely<Schema>({ dialect: opened.dialect });
  try {
    return await prepareSchema(db, opened, { migrate: 'auto' });
  } catch (error) {
    throw explainConnectError(error);
  } finally {
    await db.destroy();
  }
}

async function openDialect(url: string, settings: PostgresSettings): Promise<OpenedDialect> {
  if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length));
  // Processes that use SQLite do not load pg.
  const { openPostgres } = await import('./drivers/postgres.ts');
  return openPostgres(url, settings);
}

/**
 * Opens a database for reading, without migrating it. An SQLite file must exist. The file is not
 * opened as `readonly`, because SQLite would then leave its `-wal` and `-shm` files behind.
 */
export async function openDatabaseReadOnly(
  url: string,
  settings: PostgresSettings,
): Promise<Database> {
  const { dialect } = url.startsWith('sqlite:')
    ? { dialect: openSqliteReadOnly(url.slice('sqlite:'.length)) }
    : await openDialect(url, settings);
  return new Kysely<Schema>({ dialect });
}

/** Closes the database after the work. */
export async function useDatabase<T>(db: Database, work: (db: Database) => Promise<T>): Promise<T> {
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** Throws if the database does not answer a query, or is read-only. */
export async function pingDatabase(db: Database): Promise<void> {
  await requireWritableServer(db);
  await db.selectFrom('revisions').select('value').execute();
}

const retryMsMax = 5_000;
const retryPauseMsMax = 20;

/** The answer to a COMMIT was lost: the change may or may not have been made. */
export class UnconfirmedCommit extends Failure {
  constructor(cause: unknown) {
    const detail = 'The database has not confirmed the change. It may have been made.';
    super('unavailable', detail, { cause, retryAfterSeconds: 1 });
  }
}

/**
 * Runs `work` in a transaction and retries it for up to 5 seconds if the database asks for a retry
 * (a busy SQLite file, a serialization failure). `work` awaits only the database; the caller runs
 * side effects afterwards. After the commit, it evicts what the caches of this process hold of the
 * changed rows. Throws `UnconfirmedCommit` if the outcome is unknown; after any other error nothing
 * has changed.
 */
export function transact<T>(
  db: Database,
  work: (trx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  const end = startTransactionSpan(db);
  const result = runTransaction(db, work);
  if (end !== undefined) result.then(() => end(), end);
  return result;
}

async function runTransaction<T>(
  db: Database,
  work: (trx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  const listeners = commitListenersOf(db);
  const end = performance.now() + retryMsMax;
  for (let attempt = 1; ; attempt++) {
    const writes = new WriteRecorder();
    let changes: EntityChange[] = [];
    let isCommitting = false;
    let result: T;
    try {
      result = await db.transaction().execute(async (trx) => {
        const recorded = writes.record(trx);
        const done = await work(recorded);
        if (writes.hasWritten) changes = (await listeners?.readChanges(recorded)) ?? [];
        isCommitting = true;
        return done;
      });
    } catch (error) {
      if (isCommitting && !isRefused(error)) {
        listeners?.notify(changes, false);
        throw new UnconfirmedCommit(error);
      }
      if (!isTransient(error)) throw storageFailureOf(error);
      if (performance.now() > end) {
        throw fail('unavailable', 'The database is busy.', { cause: error, retryAfterSeconds: 1 });
      }
      await new Promise((resolve) => setTimeout(resolve, Math.min(attempt, retryPauseMsMax)));
      continue;
    }
    listeners?.notify(changes, true);
    return result;
  }
}

const transientCodes = new Set([
  'SQLITE_BUSY',
  'SQLITE_BUSY_SNAPSHOT',
  'SQLITE_LOCKED',
  '40001', // serialization_failure
  '40P01', // deadlock_detected
]);

/**
 * Returns whether the database confirms that it did not commit. An I/O error of SQLite does not
 * confirm it. Neither do the listed SQLSTATEs: lost connections, shutdown, system errors.
 */
function isRefused(error: unknown): boolean {
  const code = errorCodeOf(error);
  if (code.startsWith('SQLITE_')) return !code.startsWith('SQLITE_IOERR');
  const state = sqlStateOf(error);
  return state !== undefined && !/^(08|57|58|XX|40003)/.test(state);
}

function isTransient(error: unknown): boolean {
  return transientCodes.has(errorCodeOf(error));
}

const missingReferenceCodes = new Set(['SQLITE_CONSTRAINT_FOREIGNKEY', '23503']);

/** Returns whether a write failed because the row that it refers to does not exist (any more). */
export function isForeignKeyViolation(error: unknown): boolean {
  return missingReferenceCodes.has(errorCodeOf(error));
}

const duplicateCodes = new Set([
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
  '23505',
]);

/** Returns whether a write failed because a row with the same value already exists. */
export function isUniqueViolation(error: unknown): boolean {
  return duplicateCodes.has(errorCodeOf(error));
}

const awayCodes = new Set(['SQLITE_BUSY', 'SQLITE_IOERR']);

const fullCodes = new Set([
  '53100', // disk_full
  'SQLITE_FULL',
]);

/** `unavailable` if the database is unreachable or full. */
export function storageFailureOf(error: unknown): unknown {
  if (error instanceof Failure) return error;
  // An extended code of SQLite is a primary code with a suffix.
  const code = errorCodeOf(error).replace(/^(SQLITE_[A-Z]+)_.*$/, '$1');
  if (fullCodes.has(code)) {
    const detail = 'The database is full.';
    return fail('unavailable', detail, { cause: error, retryAfterSeconds: 60 });
  }
  if (!awayCodes.has(code) && !isPostgresUnavailable(error)) return error;
  return fail('unavailable', 'The database is unreachable.', {
    cause: error,
    retryAfterSeconds: 1,
  });
}

/** Returns whether the error means that the database is full. In that case nothing was changed. */
export function isDatabaseFull(error: unknown): boolean {
  return error instanceof Failure && fullCodes.has(errorCodeOf(error.extra.cause));
}
