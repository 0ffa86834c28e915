import { type Kysely, sql } from 'kysely';
import { createIndex, createNewestIndex } from './indexes.ts';

/** Creates the tables of workspaces and everything in them, and the table of credentials. */
export async function createSharingTables(db: Kysely<unknown>): Promise<void> {
  await createWorkspaces(db);
  await createCredentials(db);
  await createDocuments(db);
  await createLinks(db);
  await createViews(db);
  await createGate(db);
}

async function createWorkspaces(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('workspaces')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('bytes_max', 'bigint')
    .addColumn('documents_max', 'bigint')
    .addColumn('links_max', 'bigint')
    .addColumn('views_max', 'bigint')
    .execute();
  await createNewestIndex(db, 'workspaces');
  await db.schema
    .createTable('workspace_usage')
    .addColumn('workspace_id', 'text', (c) => c.primaryKey().references('workspaces.id'))
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('documents', 'bigint', (c) => c.notNull())
    .addColumn('links', 'bigint', (c) => c.notNull())
    .addColumn('views', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('members')
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspaces.id'))
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id'))
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('owner', 'admin', 'member')`))
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('members_pkey', ['workspace_id', 'user_id'])
    .execute();
  await createIndex(db, 'members', 'newest', ['workspace_id', 'create_time', 'user_id']);
  await createIndex(db, 'members', 'user_id', ['user_id']);
}

async function createCredentials(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('credentials')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('client_id', 'text', (c) => c.references('clients.id'))
    .addColumn('customer_id', 'text', (c) => c.references('customers.id'))
    .addColumn('workspace_id', 'text', (c) => c.references('workspaces.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('expire_time', 'bigint')
    .addColumn('revoke_time', 'bigint')
    .addColumn('last_used_time', 'bigint')
    .addCheckConstraint(
      'credentials_one_owner',
      sql`(client_id is not null and customer_id is null and workspace_id is null)
        or (client_id is null and customer_id is not null and workspace_id is null)
        or (client_id is null and customer_id is null and workspace_id is not null)`,
    )
    .execute();
  for (const owner of ['client_id', 'customer_id', 'workspace_id']) {
    await createIndex(db, 'credentials', owner, [owner, 'create_time', 'id']);
  }
}

async function createDocuments(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('documents')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspaces.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('content_type', 'text', (c) => c.notNull())
    .addColumn('size_bytes', 'bigint', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('page_count', 'bigint', (c) => c.notNull())
    .addColumn('blob_id', 'text', (c) => c.notNull().unique())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('check_time', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await createIndex(db, 'documents', 'newest', ['workspace_id', 'create_time', 'id']);
  await createIndex(db, 'documents', 'check_time', ['check_time', 'id']);
}

async function createLinks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('links')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('slug', 'text', (c) => c.notNull().unique())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspaces.id'))
    .addColumn('document_id', 'text', (c) =>
      c.notNull().references('documents.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('email_required', 'bigint', (c) => c.notNull())
    .addColumn('email_verification_required', 'bigint', (c) => c.notNull())
    .addColumn('password_hash', 'text')
    .addColumn('allow_download', 'bigint', (c) => c.notNull())
    .addColumn('gate_revision', 'bigint', (c) => c.notNull())
    .addColumn('view_count', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('expire_time', 'bigint')
    .addColumn('revoke_time', 'bigint')
    .execute();
  await createIndex(db, 'links', 'newest', ['workspace_id', 'create_time', 'id']);
  // The index includes both columns that filter a list of links, so SQLite prefers it to
  // `links_newest`.
  await createIndex(db, 'links', 'document', ['document_id', 'workspace_id', 'create_time', 'id']);
}

async function createViews(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('views')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('link_id', 'text', (c) => c.notNull().references('links.id').onDelete('cascade'))
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('email_verified', 'bigint', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('duration_ms', 'bigint', (c) => c.notNull())
    .execute();
  await createIndex(db, 'views', 'newest', ['link_id', 'create_time', 'id']);
  await db.schema
    .createTable('view_pages')
    .addColumn('view_id', 'text', (c) => c.notNull().references('views.id').onDelete('cascade'))
    .addColumn('visit', 'text', (c) => c.notNull())
    .addColumn('page', 'bigint', (c) => c.notNull())
    .addColumn('duration_ms', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('view_pages_pkey', ['view_id', 'visit', 'page'])
    .execute();
}

async function createGate(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gate_codes')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('link_id', 'text', (c) => c.notNull().references('links.id').onDelete('cascade'))
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('tries', 'bigint', (c) => c.notNull())
    .addColumn('send_time', 'bigint', (c) => c.notNull())
    .addColumn('expire_time', 'bigint', (c) => c.notNull())
    .execute();
  await createIndex(db, 'gate_codes', 'link_id', ['link_id']);
  await createIndex(db, 'gate_codes', 'expire_time', ['expire_time']);
  await db.schema
    .createTable('verified_addresses')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('last_time', 'bigint', (c) => c.notNull())
    .execute();
  await createIndex(db, 'verified_addresses', 'last_time', ['last_time']);
}
