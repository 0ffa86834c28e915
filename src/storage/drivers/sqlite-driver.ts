// The driver of SQLite: one connection, used by one caller at a time. Transactions that are ready
// in the same turn of the event loop share a commit, because each commit waits for the disk.
// Queries outside of a transaction wait for this commit, so that they never read uncommitted rows.
import { setImmediate } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import type SQLite from 'better-sqlite3';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import { LRUCache } from 'lru-cache';
import { errorCodeOf } from '../../base/files/error-code.ts';

const busyMsMax = 5_000;
const busyPollMs = 5;

export const isBusy = (error: unknown) => errorCodeOf(error).startsWith('SQLITE_BUSY');

/** Repeats a call for up to five seconds while another process keeps the file busy. */
export async function repeatWhileBusy<T>(call: () => T, mayRepeat = () => true): Promise<T> {
  const end = performance.now() + busyMsMax;
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (!isBusy(error) || !mayRepeat() || performance.now() > end) throw error;
      await sleep(busyPollMs);
    }
  }
}

export class SqliteDriver implements Driver {
  readonly #database: SQLite.Database;
  readonly #statements: Statements;
  readonly #queue: ConnectionQueue;

  constructor(database: SQLite.Database) {
    this.#database = database;
    this.#statements = new Statements(database);
    this.#queue = new ConnectionQueue(this.#statements, database);
  }

  async init() {}

  async acquireConnection(): Promise<Connection> {
    return new Connection(this.#database, this.#statements, this.#queue);
  }

  beginTransaction(connection: Connection) {
    return connection.begin();
  }

  commitTransaction(connection: Connection) {
    return connection.commit();
  }

  rollbackTransaction(connection: Connection) {
    return connection.rollback();
  }

  releaseConnection(connection: Connection) {
    return connection.release();
  }

  async destroy() {
    this.#queue.end();
    this.#database.close();
  }
}

/** Prepared statements. Preparing one takes longer than executing it. */
class Statements {
  readonly #database: SQLite.Database;
  readonly #prepared = new LRUCache<string, SQLite.Statement>({ max: 200 });

  constructor(database: SQLite.Database) {
    this.#database = database;
  }

  get(sql: string): SQLite.Statement {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }

  execute({ sql, parameters }: CompiledQuery): QueryResult<unknown> {
    const statement = this.get(sql);
    if (statement.reader) return { rows: statement.all(parameters) };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }
}

class Group {
  readonly committed: Promise<void>;
  settle: (error?: unknown) => void = () => {};

  constructor() {
    this.committed = new Promise((resolve, reject) => {
      this.settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    // Each transaction handles the error. This prevents a report that nothing does.
    this.committed.catch(() => {});
  }
}

/** Gives the connection to one transaction or query at a time. */
class ConnectionQueue {
  readonly #statements: Statements;
  readonly #database: SQLite.Database;
  readonly #transactions: (() => void)[] = [];
  readonly #queries: (() => void)[] = [];
  #isTaken = false;
  /** Finished transactions. Only transactions may run before their commit. */
  #group: Group | undefined;
  #isGroupDue = false;

  constructor(statements: Statements, database: SQLite.Database) {
    this.#statements = statements;
    this.#database = database;
  }

  /** Returns undefined if it is the caller's turn already. */
  enterQuery(): Promise<void> | undefined {
    if (!this.#isTaken && this.#group === undefined) return this.#take();
    return new Promise((resolve) => void this.#queries.push(resolve));
  }

  enterTransaction(): Promise<void> | undefined {
    if (!this.#isTaken) return this.#take();
    return new Promise((resolve) => void this.#transactions.push(resolve));
  }

  #take(): undefined {
    this.#isTaken = true;
  }

  leave(): void {
    this.#isTaken = false;
    if (this.#isGroupDue) this.#commit();
    const next =
      this.#group === undefined
        ? (this.#queries.shift() ?? this.#transactions.shift())
        : this.#transactions.shift();
    if (next === undefined) return;
    this.#isTaken = true;
    next();
  }

  begin(): boolean {
    const isPart = this.#group !== undefined;
    this.#run(isPart ? 'savepoint part' : 'begin immediate');
    return isPart;
  }

  finish(isPart: boolean): Promise<void> {
    if (isPart) this.#run('release part');
    const group = this.#group ?? this.#startGroup();
    this.leave();
    return group.committed;
  }

  rollBack(isPart: boolean): void {
    try {
      // On a full disk, SQLite has already rolled back by itself.
      if (!this.#database.inTransaction) return;
      this.#run(isPart ? 'rollback to part' : 'rollback');
      if (isPart) this.#run('release part');
    } finally {
      this.leave();
    }
  }

  /** Fails the group if SQLite has rolled it back because of this error. */
  noteError(error: unknown): void {
    if (this.#group === undefined || this.#database.inTransaction) return;
    this.#group.settle(error);
    this.#group = undefined;
    this.#isGroupDue = false;
  }

  end(): void {
    if (this.#group !== undefined && !this.#isTaken) this.#commit();
  }

  #startGroup(): Group {
    const group = new Group();
    this.#group = group;
    // Requests that arrived at the same time are handled first.
    setImmediate(() => {
      if (this.#group !== group) return;
      this.#isGroupDue = true;
      if (!this.#isTaken) this.leave();
    });
    return group;
  }

  #commit(): void {
    const group = this.#group;
    this.#group = undefined;
    this.#isGroupDue = false;
    try {
      this.#run('commit');
      group?.settle();
    } catch (error) {
      if (this.#database.inTransaction) this.#run('rollback');
      group?.settle(error);
    }
  }

  #run(sql: string): void {
    this.#statements.get(sql).run();
  }
}

/** The use of the connection by a transaction, or by queries outside of a transaction. */
class Connection implements DatabaseConnection {
  readonly #database: SQLite.Database;
  readonly #statements: Statements;
  readonly #queue: ConnectionQueue;
  #state: 'idle' | 'queries' | 'transaction' | 'part' = 'idle';

  constructor(database: SQLite.Database, statements: Statements, turns: ConnectionQueue) {
    this.#database = database;
    this.#statements = statements;
    this.#queue = turns;
  }

  async begin(): Promise<void> {
    await this.#queue.enterTransaction();
    try {
      this.#state = this.#queue.begin() ? 'part' : 'transaction';
    } catch (error) {
      this.#queue.leave();
      throw error;
    }
  }

  async commit(): Promise<void> {
    const committed = this.#queue.finish(this.#state === 'part');
    this.#state = 'idle';
    await committed;
  }

  async rollback(): Promise<void> {
    // Kysely also calls this after a failed commit.
    if (this.#state === 'idle') return;
    const isPart = this.#state === 'part';
    this.#state = 'idle';
    this.#queue.rollBack(isPart);
  }

  async release(): Promise<void> {
    if (this.#state === 'queries') this.#queue.leave();
    this.#state = 'idle';
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const result =
      this.#state === 'transaction' || this.#state === 'part'
        ? this.#executeInTransaction(query)
        : await this.#executeAlone(query);
    return result as QueryResult<R>;
  }

  #executeInTransaction(query: CompiledQuery): QueryResult<unknown> {
    // The query would otherwise be committed alone.
    if (!this.#database.inTransaction) throw new Error('SQLite has ended the transaction');
    try {
      return this.#statements.execute(query);
    } catch (error) {
      this.#queue.noteError(error);
      throw error;
    }
  }

  /**
   * Repeats a query while another process keeps the file busy, for example while that process
   * starts, ends or writes. `transact` repeats transactions.
   */
  async #executeAlone(query: CompiledQuery): Promise<QueryResult<unknown>> {
    await this.#startQueries();
    // A migration begins its transaction with a query.
    const mayRepeat = () => !this.#database.inTransaction;
    return repeatWhileBusy(() => this.#statements.execute(query), mayRepeat);
  }

  streamQuery(): never {
    throw new Error('a result is read as a whole');
  }

  async #startQueries(): Promise<void> {
    if (this.#state === 'queries') return;
    await this.#queue.enterQuery();
    this.#state = 'queries';
  }
}
