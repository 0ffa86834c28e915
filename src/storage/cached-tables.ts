// Decides which writes evict cached entries. The plugins here inspect the queries themselves, so
// callers do not name the caches that their writes affect.
import type {
  ColumnUpdateNode,
  KyselyPlugin,
  OperationNode,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  RootOperationNode,
  Transaction,
} from 'kysely';
import type { Database, Executor, RevisionRow, Schema } from './schema.ts';

/**
 * `access` covers credentials and their owners, users, memberships and sessions. `signing_keys` and
 * `revoked_tokens` cover the tables of those names.
 */
export type Topic = RevisionRow['name'];

type CachedTable<Row> = {
  readonly topic: Topic;
  /** `keep` if no cache can hold anything about a row with a new, random id. */
  readonly inserts: 'evict' | 'keep';
  /** `keep` if only rows that no cache trusts any more are deleted. */
  readonly deletes: 'evict' | 'keep';
  /** The columns that no cache holds. Every other column counts as cached. */
  readonly uncached: readonly (keyof Row & string)[];
};

/** The tables whose rows are cached. */
export const cachedTables: { readonly [T in keyof Schema]?: CachedTable<Schema[T]> } = {
  clients: { topic: 'access', inserts: 'keep', deletes: 'evict', uncached: ['name'] },
  customers: { topic: 'access', inserts: 'keep', deletes: 'evict', uncached: ['name'] },
  customer_accounts: { topic: 'access', inserts: 'evict', deletes: 'evict', uncached: [] },
  credentials: {
    topic: 'access',
    inserts: 'keep',
    deletes: 'evict',
    uncached: ['name', 'last_used_time'],
  },
  users: {
    topic: 'access',
    inserts: 'keep',
    deletes: 'evict',
    uncached: ['name', 'email', 'password_hash'],
  },
  members: { topic: 'access', inserts: 'evict', deletes: 'evict', uncached: [] },
  sessions: {
    topic: 'access',
    inserts: 'keep',
    // Expired sessions are deleted. No token outlives its session.
    deletes: 'keep',
    uncached: ['refresh_time', 'expire_time'],
  },
  signing_keys: {
    topic: 'signing_keys',
    inserts: 'evict',
    deletes: 'evict',
    // A keyring writes this column while it loads. An eviction would make the keyring wait for
    // itself.
    uncached: ['token_seconds_max'],
  },
  // A revocation is deleted after its token has expired.
  revoked_tokens: { topic: 'revoked_tokens', inserts: 'evict', deletes: 'keep', uncached: [] },
};

/** Records the topics that the queries of one transaction have changed. */
export class WriteRecorder implements KyselyPlugin {
  readonly #queries = new WeakMap<object, Topic>();
  readonly #changed = new Set<Topic>();
  readonly #revisions = new Map<Topic, number>();

  /** Returns the transaction with its writes recorded. */
  record(trx: Transaction<Schema>): Transaction<Schema> {
    const others = trx.getExecutor().plugins.filter((one) => !(one instanceof CommitListeners));
    let recorded = trx.withoutPlugins();
    for (const plugin of [...others, this]) recorded = recorded.withPlugin(plugin);
    return recorded;
  }

  /** The counters that the transaction has incremented. */
  get revisions(): Revisions {
    return this.#revisions;
  }

  /** The changed topics whose counters the transaction has not incremented yet, sorted. */
  get pending(): Topic[] {
    return [...this.#changed].filter((topic) => !this.#revisions.has(topic)).sort();
  }

  noteRevision(topic: Topic, value: number): void {
    this.#revisions.set(topic, value);
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    const topic = topicOf(node);
    if (topic !== undefined) this.#queries.set(queryId, topic);
    return node;
  }

  async transformResult({ queryId, result }: PluginTransformResultArgs) {
    const topic = this.#queries.get(queryId);
    // SQLite does not report the number of affected rows for a query that returns rows.
    const rows = result.numAffectedRows ?? BigInt(result.rows.length);
    if (topic !== undefined && rows > 0n) this.#changed.add(topic);
    return result;
  }
}

/** Returns the recorder of a transaction, or undefined outside of `transact`. */
export function recorderOf(trx: Executor): WriteRecorder | undefined {
  return trx.getExecutor().plugins.find((one) => one instanceof WriteRecorder);
}

/** Maps topics to their counters. */
export type Revisions = ReadonlyMap<Topic, number>;

type CommitListener = (revisions: Revisions) => Promise<void>;

/**
 * Holds the commit listeners of a database. Rejects writes to cached tables outside of `transact`.
 */
export class CommitListeners implements KyselyPlugin {
  readonly #listeners = new Set<CommitListener>();

  add(listener: CommitListener): void {
    this.#listeners.add(listener);
  }

  remove(listener: CommitListener): void {
    this.#listeners.delete(listener);
  }

  async notify(revisions: Revisions): Promise<void> {
    if (revisions.size === 0) return;
    for (const listener of this.#listeners) await listener(revisions);
  }

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    if (topicOf(node) === undefined) return node;
    throw new Error(`${tableOf(node)} is cached: change its rows within transact()`);
  }

  async transformResult({ result }: PluginTransformResultArgs) {
    return result;
  }
}

export function commitListenersOf(db: Database): CommitListeners | undefined {
  return db.getExecutor().plugins.find((one) => one instanceof CommitListeners);
}

/** Returns the topic that a query changes if it affects any row. */
function topicOf(node: RootOperationNode): Topic | undefined {
  if (node.kind === 'RawNode') refuseRawWrite(node.sqlFragments);
  const table = tableOf(node);
  const cached = isTable(table) ? cachedTables[table] : undefined;
  if (cached === undefined) return undefined;
  return evicts(node, cached) ? cached.topic : undefined;
}

function evicts(
  node: RootOperationNode,
  cached: NonNullable<(typeof cachedTables)[keyof Schema]>,
): boolean {
  const uncached = new Set<string>(cached.uncached);
  const changes = (updates: readonly ColumnUpdateNode[] = []) =>
    updates.some((update) => !isSelf(update) && !uncached.has(columnOf(update.column) ?? ''));
  switch (node.kind) {
    case 'UpdateQueryNode':
      return changes(node.updates);
    case 'InsertQueryNode':
      return cached.inserts === 'evict' || changes(node.onConflict?.updates);
    case 'DeleteQueryNode':
      return cached.deletes === 'evict';
    default:
      return false;
  }
}

const isTable = (name: string | undefined): name is keyof Schema =>
  name !== undefined && Object.hasOwn(cachedTables, name);

/** Returns the table that a query writes to. */
function tableOf(node: RootOperationNode): string | undefined {
  switch (node.kind) {
    case 'UpdateQueryNode':
      return nameOf(node.table);
    case 'InsertQueryNode':
      return nameOf(node.into);
    case 'DeleteQueryNode':
      return nameOf(node.from.froms[0]);
    default:
      return undefined;
  }
}

function nameOf(node: OperationNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  if ('node' in node) return nameOf(node.node as OperationNode);
  if (node.kind !== 'TableNode' || !('table' in node)) return undefined;
  const { identifier } = node.table as { identifier: { name: string } };
  return identifier.name;
}

/** Updating a column to itself locks the row and changes nothing. */
function isSelf({ column, value }: ColumnUpdateNode): boolean {
  const name = columnOf(column);
  return name !== undefined && name === columnOf(value);
}

function columnOf(node: OperationNode): string | undefined {
  if (!('column' in node)) return undefined;
  const { column } = node as { column: OperationNode | { name: string } };
  return 'name' in column ? column.name : columnOf(column);
}

/** Rejects a raw write statement, because its table cannot be read from the query node. */
function refuseRawWrite([start = '']: readonly string[]): void {
  if (/^\s*(insert|update|delete)\b/i.test(start)) {
    throw new Error('a write must be made with the query builder, not with raw SQL');
  }
}
