// Adds the waiting time of deletions. Expands only: earlier releases reject a deleted client,
// customer or user, because it is disabled, but still serve a deleted workspace. The first
// workspace should be deleted after all processes are updated.
import { type Kysely, sql } from 'kysely';
import { watchColumns } from './0015-audiences.ts';
import { createIndex } from './indexes.ts';

const disabledTables = ['clients', 'customers', 'users'] as const;

export async function addDeletions(db: Kysely<unknown>): Promise<void> {
  for (const table of [...disabledTables, 'workspaces'] as const) {
    await db.schema.alterTable(table).addColumn('delete_time', 'bigint').execute();
    await db.schema.alterTable(table).addColumn('purge_time', 'bigint').execute();
    await sql`create index ${sql.ref(`${table}_delete_time`)} on ${sql.table(table)}
      (delete_time, id) where delete_time is not null`.execute(db);
    await watchColumns(db, table, 'deletion', ['delete_time', 'purge_time']);
    // Counts the rows of a list.
    await sql`create index ${sql.ref(`${table}_listed`)} on ${sql.table(table)} (id)
      where delete_time is null${table === 'users' ? sql` and purge_time is null` : sql``}`.execute(
      db,
    );
  }
  await db.schema.alterTable('users').addColumn('purge_position', 'text').execute();
  await watchColumns(db, 'links', 'erasure', ['recipient']);
  await createIndex(db, 'documents', 'creator', ['creator_id', 'id']);
  for (const table of disabledTables) {
    await db.schema.alterTable(table).addColumn('kept_disable_time', 'bigint').execute();
  }
}
