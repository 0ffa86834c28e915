// Knows which writes change cached rows. The triggers of the database record the changes. The
// plugins here inspect the queries, so that a transaction reads its changes only if it made some.
import type {
  ColumnUpdateNode,
  KyselyPlugin,
  OperationNode,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  RootOperationNode,
  Transaction,
} from 'kysely';
import type { Entity, EntityChange } from '../schema/change.ts';
import type { Database, Executor, Schema } from '../schema/schema.ts';
import { changeTableOf } from './open-change-table.ts';

type CachedTable<Row> = {
  readonly entity: Entity;
  /** Set if no cache can hold anything about a row with a new, random id. */
  readonly ignoresInserts?: true;
  /** Set if only rows that no cache trusts any more are deleted. */
  readonly ignoresDeletes?: true;
  /** The columns that no cache holds. Every other column counts as cached. */
  readonly uncached: readonly (keyof Row & string)[];
};

/** The tables whose rows are cached. Each of them has triggers that record its changes. */
export const cachedTables: { readonly [T in keyof Schema]?: CachedTable<Schema[T]> } = {
  clients: {
    entity: 'client',
    ignoresInserts: true,
    uncached: [
      ...(['name', 'create_time', 'creator_id', 'kept_disable_time'] as const),
      ...(['update_time', 'external_id'] as const),
      ...(['tls_client_auth_san_uri', 'tls_client_auth_san_dns'] as const),
    ],
  },
  client_keys: {
    entity: 'client',
    uncached: ['id', 'name', 'thumbprint', 'create_time', 'last_used_time', 'creator_id'],
  },
  customers: {
    entity: 'customer',
    ignoresInserts: true,
    uncached: [
      ...(['name', 'create_time', 'creator_id', 'kept_disable_time'] as const),
      ...(['update_time', 'external_id'] as const),
    ],
  },
  customer_accounts: { entity: 'customer', uncached: [] },
  credentials: {
    entity: 'credential',
    ignoresInserts: true,
    uncached: ['name', 'create_time', 'last_used_time', 'creator_id', 'imported_hash'],
  },
  users: {
    entity: 'user',
    ignoresInserts: true,
    uncached: [
      ...(['name', 'email', 'password_hash', 'create_time', 'creator_id'] as const),
      ...(['kept_disable_time', 'purge_position', 'update_time'] as const),
    ],
  },
  members: { entity: 'user', uncached: ['create_time'] },
  sessions: {
    entity: 'session',
    ignoresInserts: true,
    uncached: [
      'digest',
      'address',
      'user_agent',
      'create_time',
      'refresh_time',
      'expire_time',
      'auth_time',
      'provider_id',
      'provider_sid',
    ],
  },
  workspaces: {
    entity: 'workspace',
    ignoresInserts: true,
    uncached: [
      ...(['name', 'create_time', 'bytes_max', 'documents_max', 'links_max', 'views_max'] as const),
      ...(['accent_color', 'logo_id', 'link_defaults', 'update_time', 'external_id'] as const),
      'creator_id',
    ],
  },
  audiences: {
    entity: 'audience',
    uncached: ['name', 'create_time', 'update_time', 'external_id', 'creator_id'],
  },
  trusted_issuers: {
    entity: 'trusted_issuer',
    uncached: [
      ...(['name', 'create_time', 'update_time', 'external_id'] as const),
      ...(['attempt_time', 'attempt_error', 'creator_id'] as const),
    ],
  },
  federated_identities: {
    entity: 'client',
    uncached: ['id', 'create_time', 'last_used_time', 'creator_id'],
  },
  signing_keys: {
    entity: 'signing_key',
    // A keyring writes this column while it loads. An eviction would start another load.
    uncached: ['token_seconds_max'],
  },
  revoked_tokens: {
    entity: 'revoked_token',
    // A revocation is deleted after its token has expired.
    ignoresDeletes: true,
    uncached: ['revision'],
  },
  documents: {
    entity: 'document',
    ignoresInserts: true,
    // `version` changes only together with `blob_id`.
    uncached: [
      ...(['version', 'last_version', 'check_time', 'view_count', 'last_view_time'] as const),
      ...(['creator_id', 'update_time'] as const),
    ],
  },
  folders: {
    entity: 'folder',
    ignoresInserts: true,
    // The key changes only together with the name.
    uncached: ['name_key', 'create_time', 'update_time', 'creator_id'],
  },
  links: {
    entity: 'link',
    ignoresInserts: true,
    uncached: ['view_count', 'notify_from', 'creator_id', 'update_time'],
  },
  domains: {
    entity: 'domain',
    uncached: ['txt_value', 'create_time', 'creator_id'],
  },
};

/** Records whether a transaction may have changed a cached row. */
export class WriteRecorder implements KyselyPlugin {
  hasWritten = false;

  /** Returns the transaction with its writes recorded. */
  record(trx: Transaction<Schema>): Transaction<Schema> {
    const others = trx
      .getExecutor()
      .plugins.filter((plugin) => !(plugin instanceof CommitListeners));
    let recorded = trx.withoutPlugins();
    for (const plugin of [...others, this]) recorded = recorded.withPlugin(plugin);
    return recorded;
  }

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    this.hasWritten ||= changesCachedRow(node);
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs) {
    return result;
  }
}

export type CommitListener = {
  /** The highest id of a change that the listener was called for. */
  readonly lastId: () => number;
  /** `isConfirmed` is false if the changes may have been rolled back. */
  readonly onCommit: (changes: readonly EntityChange[], isConfirmed: boolean) => void;
};

/** Rejects writes to cached tables outside of `transact`, which would evict too late. */
export class CommitListeners implements KyselyPlugin {
  readonly #listeners = new Set<CommitListener>();

  add(listener: CommitListener): void {
    this.#listeners.add(listener);
  }

  remove(listener: CommitListener): void {
    this.#listeners.delete(listener);
  }

  /** Reads the changes that a transaction has made so far, if there are listeners. */
  async readChanges(trx: Executor): Promise<EntityChange[]> {
    if (this.#listeners.size === 0) return [];
    const lastIds = [...this.#listeners].map(({ lastId }) => lastId());
    return changeTableOf(trx).readOwn(trx, Math.min(...lastIds));
  }

  notify(changes: readonly EntityChange[], isConfirmed: boolean): void {
    if (changes.length === 0) return;
    for (const { onCommit } of this.#listeners) onCommit(changes, isConfirmed);
  }

  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    if (!changesCachedRow(node)) return node;
    throw new Error(`${tableOf(node)} is cached: change its rows within transact()`);
  }

  async transformResult({ result }: PluginTransformResultArgs) {
    return result;
  }
}

export function commitListenersOf(db: Database): CommitListeners | undefined {
  return db.getExecutor().plugins.find((plugin) => plugin instanceof CommitListeners);
}

/** Returns whether a query changes something cached if it affects any row. */
function changesCachedRow(node: RootOperationNode): boolean {
  if (node.kind === 'RawNode') refuseRawWrite(node.sqlFragments);
  const table = tableOf(node);
  const cached = isTable(table) ? cachedTables[table] : undefined;
  if (cached === undefined) return false;
  const uncached = new Set<string>(cached.uncached);
  const changes = (updates: readonly ColumnUpdateNode[] = []) =>
    updates.some((update) => !isSelf(update) && !uncached.has(columnOf(update.column) ?? ''));
  switch (node.kind) {
    case 'UpdateQueryNode':
      return changes(node.updates);
    case 'InsertQueryNode':
      return !cached.ignoresInserts || changes(node.onConflict?.updates);
    case 'DeleteQueryNode':
      return !cached.ignoresDeletes;
    default:
      return false;
  }
}

const isTable = (name: string | undefined): name is keyof Schema =>
  name !== undefined && Object.hasOwn(cachedTables, name);

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
