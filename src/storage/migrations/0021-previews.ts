// Adds the previews of Office files. Expands only: triggers queue the versions that earlier
// releases insert, and note the bytes of the previews of the versions that they delete.
import { type Kysely, SqliteAdapter, sql } from 'kysely';

/** The content types that become PDF. */
const officeTypes = [
  'application/msword',
  'application/rtf',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/vnd.oasis.opendocument.presentation',
  'application/vnd.oasis.opendocument.spreadsheet',
  'application/vnd.oasis.opendocument.text',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.openxmlformats-officedocument.presentationml.slideshow',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
];

export async function addPreviews(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('previews')
    .addColumn('document_id', 'text', (c) => c.notNull())
    .addColumn('version', 'bigint', (c) => c.notNull())
    .addColumn('workspace_id', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull().defaultTo('pending'))
    .addColumn('error', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('attempts', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('due_time', 'bigint', (c) => c.notNull())
    .addColumn('blob_id', 'text', (c) => c.unique())
    .addColumn('size_bytes', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('sha256', 'text', (c) => c.notNull().defaultTo(''))
    .addPrimaryKeyConstraint('previews_pkey', ['document_id', 'version'])
    .addForeignKeyConstraint(
      'previews_version_fkey',
      ['document_id', 'version'],
      'document_versions',
      ['document_id', 'version'],
      (c) => c.onDelete('cascade'),
    )
    .execute();
  await sql`create index previews_due on previews (workspace_id, due_time, document_id, version)
    where state = 'pending'`.execute(db);
  const types = officeTypes.map((type) => `'${type}'`).join(', ');
  await sql`insert into previews (document_id, version, workspace_id, due_time)
    select document_versions.document_id, document_versions.version, documents.workspace_id,
      document_versions.create_time
    from document_versions join documents on documents.id = document_versions.document_id
    where document_versions.content_type in (${sql.raw(types)})`.execute(db);
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  for (const statement of isSqlite ? sqliteTriggers(types) : postgresTriggers(types)) {
    await sql.raw(statement).execute(db);
  }
}

const queue = `insert into previews (document_id, version, workspace_id, due_time)
  select new.document_id, new.version, workspace_id, new.create_time from documents
  where id = new.document_id on conflict do nothing;`;

/** The next sweep of pending blobs removes the bytes. */
const note = `insert into pending_blobs (blob_id, owner, expire_time)
  values (old.blob_id, '', 0) on conflict do nothing;`;

const sqliteTriggers = (types: string) => [
  `create trigger document_versions_preview after insert on document_versions
    when new.content_type in (${types}) begin ${queue} end`,
  `create trigger previews_blob after delete on previews when old.blob_id is not null
    begin ${note} end`,
];

const postgresFunction = (name: string, body: string) =>
  `create function ${name}() returns trigger language plpgsql
    set search_path from current as $$ begin ${body} return null; end $$`;

const postgresTriggers = (types: string) => [
  postgresFunction('queue_preview', queue),
  `create trigger document_versions_preview after insert on document_versions
    for each row when (new.content_type in (${types})) execute function queue_preview()`,
  postgresFunction('note_preview_blob', note),
  `create trigger previews_blob after delete on previews
    for each row when (old.blob_id is not null) execute function note_preview_blob()`,
];
