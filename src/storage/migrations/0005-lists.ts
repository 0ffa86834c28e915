// Adds the columns and indexes by which lists are sorted and counted. Expands only: earlier
// releases write neither the columns nor the triggers' results. See docs/decisions/0019.
import { type Kysely, SqliteAdapter, sql } from 'kysely';
import { createIndex } from './indexes.ts';

export async function sortLists(db: Kysely<unknown>): Promise<void> {
  await countViewsOfDocuments(db);
  await createViewColumns(db);
  await indexSharing(db);
  await indexIdentity(db);
}

const isSqlite = (db: Kysely<unknown>) => db.getExecutor().adapter instanceof SqliteAdapter;

async function countViewsOfDocuments(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('documents')
    .addColumn('view_count', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('documents').addColumn('last_view_time', 'bigint').execute();
  await sql`update documents set
      view_count = (select sum(view_count) from links where document_id = documents.id),
      last_view_time = (select max(
          (select max(create_time) from views where link_id = links.id)
        ) from links where document_id = documents.id)
    where id in (select document_id from links where view_count > 0)`.execute(db);
  for (const statement of isSqlite(db) ? sqliteCount : postgresCount) {
    await sql.raw(statement).execute(db);
  }
}

/**
 * Every release updates the count of the link in the transaction that inserts a view. A restore
 * inserts links with their counts, and counts nothing twice.
 */
const sqliteCount = [
  `create trigger links_count_views after update of view_count on links
    when new.view_count > old.view_count
    begin
      update documents set
        view_count = view_count + new.view_count - old.view_count,
        last_view_time = nullif(max(
          coalesce(last_view_time, 0),
          coalesce((select max(create_time) from views where link_id = new.id), 0)
        ), 0)
      where id = new.document_id;
    end`,
];

const postgresCount = [
  `create function count_document_views() returns trigger language plpgsql
    set search_path from current as $$
    begin
      update documents set
        view_count = view_count + new.view_count - old.view_count,
        last_view_time = greatest(
          last_view_time, (select max(create_time) from views where link_id = new.id)
        )
      where id = new.document_id;
      return null;
    end $$`,
  `create trigger links_count_views after update of view_count on links
    for each row when (new.view_count > old.view_count)
    execute function count_document_views()`,
];

/** The document of each view, and its downloads. */
async function createViewColumns(db: Kysely<unknown>): Promise<void> {
  const views = () => db.schema.alterTable('views');
  await views().addColumn('document_id', 'text').execute();
  await views().addColumn('last_download_time', 'bigint').execute();
  await views()
    .addColumn('download_count', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update views set
    document_id = (select document_id from links where links.id = views.link_id)`.execute(db);
  for (const statement of isSqlite(db) ? sqliteDocumentId : postgresDocumentId) {
    await sql.raw(statement).execute(db);
  }
}

/** Release 0.1 inserts views without the id of the document. */
const sqliteDocumentId = [
  `create trigger views_document_id after insert on views when new.document_id is null
    begin
      update views set
        document_id = (select document_id from links where id = new.link_id)
      where id = new.id;
    end`,
];

const postgresDocumentId = [
  `create function set_view_document_id() returns trigger language plpgsql
    set search_path from current as $$
    begin
      new.document_id := (select document_id from links where id = new.link_id);
      return new;
    end $$`,
  `create trigger views_document_id before insert on views
    for each row when (new.document_id is null)
    execute function set_view_document_id()`,
];

/** Creates an index whose columns may be folded texts: `lower(name)`. `where` selects its rows. */
export async function createSortIndex(
  db: Kysely<unknown>,
  table: string,
  name: string,
  columns: readonly string[],
  where = '',
): Promise<void> {
  const parts = columns.map((column) => {
    const [, folded] = /^lower\((\w+)\)$/.exec(column) ?? [];
    if (folded === undefined) return sql.ref(column);
    const collation = isSqlite(db) ? '' : ' collate "C"';
    return sql`lower(${sql.ref(folded)}${sql.raw(collation)})`;
  });
  const index = sql.id(`${table}_${name}`);
  const filter = where === '' ? sql`` : sql`where ${sql.raw(where)}`;
  await sql`create index ${index} on ${sql.table(table)} (${sql.join(parts)}) ${filter}`.execute(
    db,
  );
}

async function indexSharing(db: Kysely<unknown>): Promise<void> {
  for (const column of ['size_bytes', 'view_count']) {
    await createIndex(db, 'documents', column, ['workspace_id', column, 'id']);
  }
  await createSortIndex(db, 'documents', 'name', ['workspace_id', 'lower(name)', 'id']);
  await createIndex(db, 'links', 'view_count', ['workspace_id', 'view_count', 'id']);
  await createSortIndex(db, 'links', 'name', ['workspace_id', 'lower(name)', 'id']);
  const ofDocument = ['document_id', 'workspace_id'];
  await createIndex(db, 'links', 'document_views', [...ofDocument, 'view_count', 'id']);
  await createSortIndex(db, 'links', 'document_name', [...ofDocument, 'lower(name)', 'id']);
  await createIndex(db, 'views', 'duration', ['link_id', 'duration_ms', 'id']);
  await createSortIndex(db, 'views', 'email', ['link_id', 'lower(email)', 'id']);
  await createIndex(db, 'views', 'document', ['document_id', 'create_time', 'id']);
  await createSortIndex(db, 'workspaces', 'name', ['lower(name)', 'id']);
}

async function indexIdentity(db: Kysely<unknown>): Promise<void> {
  for (const table of ['clients', 'customers', 'users']) {
    await createSortIndex(db, table, 'name', ['lower(name)', 'id']);
  }
  await createSortIndex(db, 'accounts', 'id', ['lower(id)', 'id']);
  await createSortIndex(db, 'users', 'email', ['lower(email)', 'id']);
  await createSortIndex(db, 'users', 'kind_name', ['kind', 'lower(name)', 'id']);
  await createSortIndex(db, 'users', 'kind_email', ['kind', 'lower(email)', 'id']);
  for (const owner of ['client_id', 'customer_id', 'workspace_id']) {
    await createSortIndex(db, 'credentials', `${owner}_name`, [owner, 'lower(name)', 'id']);
  }
}
