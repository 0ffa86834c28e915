import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('retention_times')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('time', 'bigint', (c) => c.notNull())
    .execute();
  // Both of the columns that a list of links is filtered by: SQLite prefers it to `links_newest`.
  const links = ['document_id', 'workspace_id', 'create_time', 'id'];
  await replaceIndex(db, 'links', 'links_document', links);
  await replaceIndex(db, 'sessions', 'sessions_user_id', ['user_id', 'create_time', 'id']);
  await createIndex(db, 'users', 'users_kind', ['kind', 'create_time', 'id']);
  const members = ['workspace_id', 'create_time', 'user_id'];
  await createIndex(db, 'members', 'members_newest', members);
}

async function replaceIndex(
  db: Kysely<unknown>,
  table: string,
  name: string,
  columns: string[],
): Promise<void> {
  await db.schema.dropIndex(name).execute();
  await createIndex(db, table, name, columns);
}

async function createIndex(
  db: Kysely<unknown>,
  table: string,
  name: string,
  columns: string[],
): Promise<void> {
  await db.schema.createIndex(name).on(table).columns(columns).execute();
}
