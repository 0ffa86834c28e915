import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['bytes_max', 'documents_max', 'links_max', 'views_max']) {
    await db.schema.alterTable('workspaces').addColumn(column, 'bigint').execute();
  }
  await db.schema
    .createTable('workspace_usage')
    .addColumn('workspace_id', 'text', (c) => c.primaryKey().references('workspaces.id'))
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('documents', 'bigint', (c) => c.notNull())
    .addColumn('links', 'bigint', (c) => c.notNull())
    .addColumn('views', 'bigint', (c) => c.notNull())
    .execute();
  await sql`insert into workspace_usage (workspace_id, bytes, documents, links, views)
    select id,
      (select coalesce(sum(size_bytes), 0) from documents where workspace_id = workspaces.id),
      (select count(*) from documents where workspace_id = workspaces.id),
      (select count(*) from links where workspace_id = workspaces.id),
      (select coalesce(sum(view_count), 0) from links where workspace_id = workspaces.id)
    from workspaces`.execute(db);
  await db.schema
    .createTable('proven_addresses')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('last_time', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('proven_addresses_last_time')
    .on('proven_addresses')
    .column('last_time')
    .execute();
}
