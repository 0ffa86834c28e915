// Adds the view limit and the recipient of links, and the mails to readers. Expands only: earlier
// releases ignore them.
import { type Kysely, SqliteAdapter, sql } from 'kysely';

export async function addRecipients(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('links').addColumn('view_limit', 'bigint').execute();
  await db.schema
    .alterTable('links')
    .addColumn('recipient', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema
    .createTable('reader_mails')
    .addColumn('target_id', 'text', (c) => c.primaryKey())
    .addColumn('due_time', 'bigint', (c) => c.notNull())
    .addColumn('attempts', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('reader_mails_due')
    .on('reader_mails')
    .columns(['due_time', 'target_id'])
    .execute();
  await recordChanges(db, 'links_limit_change', ['view_limit']);
}

/** Adds a trigger, because an existing one cannot watch more columns. */
async function recordChanges(
  db: Kysely<unknown>,
  name: string,
  columns: readonly string[],
): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  const changed = (comparison: string) =>
    columns.map((column) => `old.${column} ${comparison} new.${column}`).join(' or ');
  const statement = isSqlite
    ? `create trigger ${name} after update on links when ${changed('is not')}
        begin insert into changes (entity, entity_id, expire_time)
          values ('link', new.id, null); end`
    : `create trigger ${name} after update on links
        for each row when (${changed('is distinct from')}) execute function note_links_change()`;
  await sql.raw(statement).execute(db);
}
