import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await identity(db);
  await credentials(db);
  await sharing(db);
}

async function identity(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('signing_keys')
    .addColumn('kid', 'text', (c) => c.primaryKey())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('public_x', 'text', (c) => c.notNull())
    .addColumn('private_ciphertext', 'text', (c) => c.notNull())
    .addColumn('master_key_id', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('activate_time', 'bigint')
    .addColumn('retire_time', 'bigint')
    .execute();
  await db.schema
    .createIndex('signing_keys_one_active')
    .unique()
    .on('signing_keys')
    .column('state')
    .where(sql.ref('state'), '=', sql.lit('active'))
    .execute();
  await db.schema
    .createTable('clients')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('disable_time', 'bigint')
    .execute();
  await db.schema
    .createTable('customers')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('disable_time', 'bigint')
    .execute();
  await db.schema
    .createTable('accounts')
    .addColumn('customer_id', 'text', (c) => c.notNull().references('customers.id'))
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('accounts_pkey', ['customer_id', 'account_id'])
    .execute();
  await db.schema
    .createTable('users')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('password_hash', 'text', (c) => c.notNull())
    .addColumn('scopes', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('disable_time', 'bigint')
    .execute();
  await db.schema
    .createTable('revoked_tokens')
    .addColumn('jti', 'text', (c) => c.primaryKey())
    .addColumn('expire_time', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('revoked_tokens_expire_time')
    .on('revoked_tokens')
    .column('expire_time')
    .execute();
  await db.schema
    .createTable('revisions')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'bigint', (c) => c.notNull())
    .execute();
  await sql`insert into revisions (name, value) values ('access', 0)`.execute(db);
}

async function credentials(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('workspaces')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .execute();
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
    await db.schema
      .createIndex(`credentials_${owner}`)
      .on('credentials')
      .columns([owner, 'create_time', 'id'])
      .execute();
  }
}

async function sharing(db: Kysely<unknown>): Promise<void> {
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
    .execute();
  await db.schema
    .createIndex('documents_newest')
    .on('documents')
    .columns(['workspace_id', 'create_time', 'id'])
    .execute();
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
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('expire_time', 'bigint')
    .addColumn('revoke_time', 'bigint')
    .execute();
  await db.schema
    .createIndex('links_newest')
    .on('links')
    .columns(['workspace_id', 'create_time', 'id'])
    .execute();
  await db.schema.createIndex('links_document').on('links').column('document_id').execute();
  await db.schema
    .createTable('views')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('link_id', 'text', (c) => c.notNull().references('links.id').onDelete('cascade'))
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('email_verified', 'bigint', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('duration_ms', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('views_newest')
    .on('views')
    .columns(['link_id', 'create_time', 'id'])
    .execute();
}
