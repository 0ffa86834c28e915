// Adds folders, and links to folders. Expands only: a link to a folder has no document, and earlier
// releases do not open such links. They cannot list them either, so the first link to a folder
// should wait until all processes are updated.
import { type Kysely, SqliteAdapter, sql } from 'kysely';
import { createTriggers, rowsWithRandomIds } from './0002-changes.ts';
import { createSortIndex } from './0005-lists.ts';
import { createIndex } from './indexes.ts';
import { recordLinkChanges } from './link-changes.ts';

export async function addFolders(db: Kysely<unknown>): Promise<void> {
  await createFolders(db);
  await addFolderOfDocuments(db);
  await addFolderOfLinks(db);
  await db.schema
    .alterTable('agreements')
    .addColumn('folder_id', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema.alterTable('views').addColumn('access_id', 'text').execute();
  await sql`create index views_access on views (access_id) where access_id is not null`.execute(db);
}

async function createFolders(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('folders')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspaces.id'))
    .addColumn('parent_id', 'text')
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_key', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('remove_time', 'bigint')
    // A restore inserts folders in the order of their ids.
    .addForeignKeyConstraint('folders_parent_id_fkey', ['parent_id'], 'folders', ['id'], (c) =>
      c.deferrable().initiallyDeferred(),
    )
    .execute();
  await sql`create unique index folders_name_key
    on folders (workspace_id, coalesce(parent_id, ''), name_key)
    where remove_time is null`.execute(db);
  await createIndex(db, 'folders', 'newest', ['workspace_id', 'create_time', 'id']);
  await createSortIndex(db, 'folders', 'name', ['workspace_id', 'lower(name)', 'id']);
  const within = ['parent_id', 'workspace_id'];
  await createIndex(db, 'folders', 'parent', [...within, 'create_time', 'id']);
  await createSortIndex(db, 'folders', 'parent_name', [...within, 'lower(name)', 'id']);
  const columns = ['id', 'workspace_id', 'parent_id', 'name', 'remove_time'];
  const events = rowsWithRandomIds;
  await createTriggers(db, [{ table: 'folders', entity: 'folder', id: 'id', columns, events }]);
}

async function addFolderOfDocuments(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('documents')
    .addColumn('folder_id', 'text', (c) => c.references('folders.id'))
    .execute();
  const within = ['folder_id', 'workspace_id'];
  for (const column of ['create_time', 'size_bytes', 'view_count']) {
    await createIndex(db, 'documents', `folder_${column}`, [...within, column, 'id']);
  }
  await createSortIndex(db, 'documents', 'folder_name', [...within, 'lower(name)', 'id']);
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  // A second trigger, because the existing one cannot watch more columns.
  const statement = isSqlite
    ? `create trigger documents_folder_change after update on documents
        when old.folder_id is not new.folder_id
        begin insert into changes (entity, entity_id, expire_time)
          values ('document', new.id, null); end`
    : `create trigger documents_folder_change after update on documents
        for each row when (old.folder_id is distinct from new.folder_id)
        execute function note_documents_change()`;
  await sql.raw(statement).execute(db);
}

async function addFolderOfLinks(db: Kysely<unknown>): Promise<void> {
  await sql`alter table links alter column document_id drop not null`.execute(db);
  await db.schema
    .alterTable('links')
    .addColumn('folder_id', 'text', (c) => c.references('folders.id'))
    .execute();
  await db.schema
    .alterTable('links')
    .addColumn('entry_rules', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  const within = ['folder_id', 'workspace_id'];
  await createIndex(db, 'links', 'folder', [...within, 'create_time', 'id']);
  await createIndex(db, 'links', 'folder_views', [...within, 'view_count', 'id']);
  await createSortIndex(db, 'links', 'folder_name', [...within, 'lower(name)', 'id']);
  await recordLinkChanges(db, 'links_folder_change', ['folder_id', 'entry_rules']);
}
