// Adds audiences, and the audiences of clients and customers. Expands only: earlier releases ignore
// them, and issue tokens for the audience of the service.
import { type Kysely, SqliteAdapter, sql } from 'kysely';
import { createTriggers } from './0002-changes.ts';
import { createSortIndex } from './0005-lists.ts';
import { createNewestIndex } from './indexes.ts';

export async function addAudiences(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audiences')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('identifier', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('create_time', 'bigint', (column) => column.notNull())
    .execute();
  await createNewestIndex(db, 'audiences');
  await createSortIndex(db, 'audiences', 'name', ['lower(name)', 'id']);
  await createTriggers(db, [
    {
      table: 'audiences',
      entity: 'audience',
      id: 'id',
      columns: ['id', 'identifier'],
      events: ['insert', 'update', 'delete'],
    },
  ]);
  await sql`insert into revisions (name, value) values ('audiences', 0)`.execute(db);
  for (const table of ['clients', 'customers'] as const) {
    await db.schema.alterTable(table).addColumn('audience_ids', 'text').execute();
    await watchColumns(db, table, 'audiences', ['audience_ids']);
  }
}

type WatchedTable =
  | ('audiences' | 'clients' | 'customers' | 'signing_keys' | 'sessions')
  | ('users' | 'workspaces')
  | 'links';

/** Adds a trigger for new columns, because an existing one cannot watch more columns. */
export async function watchColumns(
  db: Kysely<unknown>,
  table: WatchedTable,
  name: string,
  columns: readonly string[],
  id = 'id',
): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  const comparison = isSqlite ? 'is not' : 'is distinct from';
  const isChanged = columns
    .map((column) => `old.${column} ${comparison} new.${column}`)
    .join(' or ');
  const entity = table.slice(0, -1);
  const statement = isSqlite
    ? `create trigger ${table}_${name}_change after update on ${table} when ${isChanged}
        begin insert into changes (entity, entity_id, expire_time)
          values ('${entity}', new.${id}, null); end`
    : `create trigger ${table}_${name}_change after update on ${table}
        for each row when (${isChanged}) execute function note_${table}_change()`;
  await sql.raw(statement).execute(db);
}
