import { type Kysely, SqliteAdapter, sql } from 'kysely';

/** Notes changes of these columns. A new trigger, because an existing one cannot watch more. */
export async function recordLinkChanges(
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
