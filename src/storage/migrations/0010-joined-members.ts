// Marks the members who were added without being asked. Expands only: earlier releases ignore the
// mark, and the members that they add count as joined.
import { type Kysely, SqliteAdapter, sql } from 'kysely';

export async function markJoinedMembers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('members')
    .addColumn('joined', 'bigint', (column) => column.notNull().defaultTo(1))
    .execute();
  // A second trigger, because an existing one cannot watch more columns.
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  const statement = isSqlite
    ? `create trigger members_joined_change after update on members
        when old.joined is not new.joined
        begin insert into changes (entity, entity_id, expire_time)
          values ('user', new.user_id, null); end`
    : `create trigger members_joined_change after update on members
        for each row when (old.joined is distinct from new.joined)
        execute function note_members_change()`;
  await sql.raw(statement).execute(db);
}
