// Adds the versions of documents. Expands only: the row of a document still has the current
// version, which is all that release 0.1 reads and writes. It ignores `pinned_version`.
import { type Kysely, SqliteAdapter, sql } from 'kysely';
import { createIndex } from './indexes.ts';

export async function addVersions(db: Kysely<unknown>): Promise<void> {
  await addColumns(db);
  await createVersions(db);
  await addVersionOfViews(db);
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  for (const statement of isSqlite ? sqliteTriggers : postgresTriggers) {
    await sql.raw(statement).execute(db);
  }
}

async function addColumns(db: Kysely<unknown>): Promise<void> {
  for (const [column, value] of [['version', 1] as const, ['last_version', 0] as const]) {
    await db.schema
      .alterTable('documents')
      .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(value))
      .execute();
  }
  await sql`update documents set last_version = 1`.execute(db);
  await db.schema.alterTable('links').addColumn('pinned_version', 'bigint').execute();
}

async function createVersions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('document_versions')
    .addColumn('document_id', 'text', (c) =>
      c.notNull().references('documents.id').onDelete('cascade'),
    )
    .addColumn('version', 'bigint', (c) => c.notNull())
    .addColumn('content_type', 'text', (c) => c.notNull())
    .addColumn('size_bytes', 'bigint', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('page_count', 'bigint', (c) => c.notNull())
    .addColumn('blob_id', 'text', (c) => c.notNull().unique())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('check_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('document_versions_pkey', ['document_id', 'version'])
    .execute();
  await sql`insert into document_versions (document_id, version, content_type, size_bytes, sha256,
      page_count, blob_id, create_time, check_time)
    select id, 1, content_type, size_bytes, sha256, page_count, blob_id, create_time, check_time
    from documents where remove_time is null`.execute(db);
  const checked = ['check_time', 'document_id', 'version'];
  await createIndex(db, 'document_versions', 'check_time', checked);
}

async function addVersionOfViews(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('views').addColumn('version', 'bigint').execute();
  await sql`update views set version = 1`.execute(db);
  await createIndex(db, 'views', 'link_version', ['link_id', 'version', 'create_time', 'id']);
  const ofDocument = ['document_id', 'version', 'create_time', 'id'];
  await createIndex(db, 'views', 'document_version', ofDocument);
}

// - `documents_first_version` inserts the first version of a document. A restored document has a
//   `last_version`, and the backup contains its versions.
// - `documents_other_versions` notes the blobs of the versions that release 0.1 does not know when
//   it
//   deletes a document, and their bytes. This release deletes the versions first.
// - `views_version` sets the version of a view that release 0.1 inserts: the current one.
// - `links_pinned_change` is a second trigger, because an existing one cannot watch more columns.

const firstVersion = `insert into document_versions (document_id, version, content_type, size_bytes,
    sha256, page_count, blob_id, create_time)
  values (new.id, new.version, new.content_type, new.size_bytes, new.sha256, new.page_count,
    new.blob_id, new.create_time);
  update documents set last_version = new.version where id = new.id;`;

const otherVersions = `update workspace_usage set bytes = bytes - (
      select coalesce(sum(size_bytes), 0) from document_versions
      where document_id = old.id and blob_id <> old.blob_id
    )
    where workspace_id = old.workspace_id;
  insert into pending_blobs (blob_id, owner, expire_time)
    select blob_id, '', 0 from document_versions
    where document_id = old.id and blob_id <> old.blob_id
    on conflict do nothing;`;

const currentVersion = `(select documents.version from documents
  join links on links.document_id = documents.id where links.id = new.link_id)`;

const sqliteTriggers = [
  `create trigger documents_first_version after insert on documents when new.last_version = 0
    begin ${firstVersion} end`,
  `create trigger documents_other_versions before delete on documents
    when exists (select 1 from document_versions
      where document_id = old.id and blob_id <> old.blob_id)
    begin ${otherVersions} end`,
  `create trigger views_version after insert on views when new.version is null
    begin update views set version = ${currentVersion} where id = new.id; end`,
  `create trigger links_pinned_change after update on links
    when old.pinned_version is not new.pinned_version
    begin insert into changes (entity, entity_id, expire_time) values ('link', new.id, null); end`,
];

const postgresFunction = (name: string, body: string) =>
  `create function ${name}() returns trigger language plpgsql
    set search_path from current as $$ begin ${body} end $$`;

const postgresTriggers = [
  postgresFunction('insert_first_version', `${firstVersion} return null;`),
  `create trigger documents_first_version after insert on documents
    for each row when (new.last_version = 0) execute function insert_first_version()`,
  postgresFunction(
    'note_other_versions',
    `if exists (select 1 from document_versions
        where document_id = old.id and blob_id <> old.blob_id) then
      ${otherVersions}
    end if;
    return old;`,
  ),
  `create trigger documents_other_versions before delete on documents
    for each row execute function note_other_versions()`,
  postgresFunction('set_view_version', `new.version := ${currentVersion}; return new;`),
  `create trigger views_version before insert on views
    for each row when (new.version is null) execute function set_view_version()`,
  `create trigger links_pinned_change after update on links
    for each row when (old.pinned_version is distinct from new.pinned_version)
    execute function note_links_change()`,
];
