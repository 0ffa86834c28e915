// The table of changes to cached rows, and the triggers that fill it, so that no writer can forget
// it. See docs/decisions/0011.
import { type Kysely, SqliteAdapter, sql } from 'kysely';
import { createIndex } from './indexes.ts';

export type CachedTable = {
  readonly table: string;
  readonly entity: string;
  /** The column with the id of the entity. */
  readonly id: string;
  /** Updates of other columns are no changes. */
  readonly columns: readonly string[];
  readonly events: readonly ('insert' | 'update' | 'delete')[];
  /** A column that is copied to `changes.expire_time`. */
  readonly expireTime?: string;
};

export const rowsWithRandomIds = ['update', 'delete'] as const;
const allRows = ['insert', 'update', 'delete'] as const;

const cachedTables: readonly CachedTable[] = [
  {
    table: 'clients',
    entity: 'client',
    id: 'id',
    columns: ['id', 'scopes', 'disable_time'],
    events: rowsWithRandomIds,
  },
  {
    table: 'customers',
    entity: 'customer',
    id: 'id',
    columns: ['id', 'disable_time'],
    events: rowsWithRandomIds,
  },
  {
    table: 'customer_accounts',
    entity: 'customer',
    id: 'customer_id',
    columns: ['customer_id', 'account_id'],
    events: allRows,
  },
  {
    table: 'credentials',
    entity: 'credential',
    id: 'id',
    columns: [
      ...['id', 'client_id', 'customer_id', 'workspace_id'],
      ...['digest', 'scopes', 'expire_time', 'revoke_time'],
    ],
    events: rowsWithRandomIds,
  },
  {
    table: 'users',
    entity: 'user',
    id: 'id',
    columns: ['id', 'kind', 'scopes', 'disable_time'],
    events: rowsWithRandomIds,
  },
  {
    table: 'members',
    entity: 'user',
    id: 'user_id',
    columns: ['workspace_id', 'user_id', 'role'],
    events: allRows,
  },
  {
    table: 'sessions',
    entity: 'session',
    id: 'id',
    columns: ['id', 'user_id', 'revoke_time'],
    events: rowsWithRandomIds,
  },
  {
    table: 'signing_keys',
    entity: 'signing_key',
    id: 'kid',
    columns: [
      ...['kid', 'state', 'public_x', 'private_ciphertext', 'master_key_id', 'create_time'],
      ...['activate_time', 'retire_time', 'remove_time', 'revoke_time'],
    ],
    events: allRows,
  },
  {
    table: 'revoked_tokens',
    entity: 'revoked_token',
    id: 'jti',
    columns: ['jti', 'expire_time'],
    events: ['insert', 'update'],
    expireTime: 'expire_time',
  },
];

export async function createChanges(db: Kysely<unknown>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  await (isSqlite ? createSqliteTable(db) : createPostgresTable(db));
  await createTriggers(db, cachedTables);
}

export async function createTriggers(
  db: Kysely<unknown>,
  tables: readonly CachedTable[],
): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  for (const cached of tables) {
    const statements = isSqlite ? sqliteTriggers(cached) : postgresTriggers(cached);
    for (const statement of statements) await sql.raw(statement).execute(db);
  }
}

async function createSqliteTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('changes')
    // With `autoincrement`, SQLite never assigns the id of a deleted row again.
    .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('entity', 'text', (c) => c.notNull())
    .addColumn('entity_id', 'text', (c) => c.notNull())
    .addColumn('expire_time', 'bigint')
    .execute();
}

async function createPostgresTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('changes')
    .addColumn('id', 'bigint', (c) => c.generatedAlwaysAsIdentity().primaryKey())
    .addColumn('xact_id', 'bigint', (c) =>
      c.notNull().defaultTo(sql`pg_current_xact_id()::text::bigint`),
    )
    .addColumn('entity', 'text', (c) => c.notNull())
    .addColumn('entity_id', 'text', (c) => c.notNull())
    .addColumn('expire_time', 'bigint')
    .execute();
  await createIndex(db, 'changes', 'xact_id', ['xact_id']);
}

/** Locking a row updates a column to its own value, which must not count. */
function isChanged({ columns }: CachedTable, comparison: string): string {
  return columns.map((column) => `old.${column} ${comparison} new.${column}`).join(' or ');
}

const insert = 'insert into changes (entity, entity_id, expire_time)';

function valuesOf({ entity, id, expireTime }: CachedTable, row: 'new' | 'old'): string {
  return `'${entity}', ${row}.${id}, ${expireTime === undefined ? 'null' : `${row}.${expireTime}`}`;
}

function sqliteTriggers(cached: CachedTable): string[] {
  const { table, id, events } = cached;
  const noteOld = `${insert} select ${valuesOf(cached, 'old')}`;
  const noteNew = `${insert} select ${valuesOf(cached, 'new')}`;
  const triggers = {
    insert: `begin ${noteNew}; end`,
    update: `when ${isChanged(cached, 'is not')}
      begin ${noteNew}; ${noteOld} where old.${id} is not new.${id}; end`,
    delete: `begin ${noteOld}; end`,
  };
  return events.map(
    (event) =>
      `create trigger ${table}_${event}_change after ${event} on ${table} ${triggers[event]}`,
  );
}

/** `set search_path` finds the table `changes`, whatever the search path of the writer is. */
function postgresTriggers(cached: CachedTable): string[] {
  const { table, id, events } = cached;
  const note = `create function note_${table}_change() returns trigger language plpgsql
    set search_path from current as $$
    begin
      if tg_op <> 'DELETE' then
        ${insert} values (${valuesOf(cached, 'new')});
        if tg_op = 'INSERT' or old.${id} = new.${id} then return null; end if;
      end if;
      ${insert} values (${valuesOf(cached, 'old')});
      return null;
    end $$`;
  const triggers = events.map((event) => {
    const when = event === 'update' ? `when (${isChanged(cached, 'is distinct from')})` : '';
    return `create trigger ${table}_${event}_change after ${event} on ${table}
      for each row ${when} execute function note_${table}_change()`;
  });
  return [note, ...triggers];
}
