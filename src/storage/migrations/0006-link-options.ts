// Adds the lists, the mails and the title of links, and the brand of workspaces. Expands only: a
// link that a process of an earlier release creates hides its title and has no lists.
import { type Kysely, SqliteAdapter, sql } from 'kysely';

export async function addLinkOptions(db: Kysely<unknown>): Promise<void> {
  await addLinkColumns(db);
  await recordOptions(db);
  await db.schema
    .createTable('link_notices')
    .addColumn('link_id', 'text', (c) => c.primaryKey().references('links.id').onDelete('cascade'))
    .addColumn('views', 'bigint', (c) => c.notNull())
    .addColumn('due_time', 'bigint')
    .addColumn('attempts', 'bigint', (c) => c.notNull())
    .addColumn('mails', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('link_notices_due')
    .on('link_notices')
    .columns(['due_time', 'link_id'])
    .where(sql.ref('due_time'), 'is not', null)
    .execute();
  await addBrand(db);
}

async function addLinkColumns(db: Kysely<unknown>): Promise<void> {
  const texts = ['allow_list', 'block_list', 'notify'];
  for (const column of texts) {
    await db.schema
      .alterTable('links')
      .addColumn(column, 'text', (c) => c.notNull().defaultTo(''))
      .execute();
  }
  for (const column of ['show_title', 'notify_from']) {
    await db.schema
      .alterTable('links')
      .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
  }
  await db.schema.alterTable('links').addColumn('creator_id', 'text').execute();
}

/** A second trigger, because an existing one cannot watch more columns. */
async function recordOptions(db: Kysely<unknown>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  const changed = (comparison: string) =>
    ['allow_list', 'block_list', 'notify', 'show_title']
      .map((column) => `old.${column} ${comparison} new.${column}`)
      .join(' or ');
  const statement = isSqlite
    ? `create trigger links_options_change after update on links when ${changed('is not')}
        begin insert into changes (entity, entity_id, expire_time)
          values ('link', new.id, null); end`
    : `create trigger links_options_change after update on links
        for each row when (${changed('is distinct from')}) execute function note_links_change()`;
  await sql.raw(statement).execute(db);
}

async function addBrand(db: Kysely<unknown>): Promise<void> {
  for (const column of ['accent_color', 'logo_id']) {
    await db.schema
      .alterTable('workspaces')
      .addColumn(column, 'text', (c) => c.notNull().defaultTo(''))
      .execute();
  }
  await db.schema
    .createTable('logos')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspaces.id'))
    .addColumn('content_type', 'text', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .execute();
}
