// Lets the removed domains of a workspace stay after the workspace is deleted for good. Only drops
// a reference, so that earlier releases run on the schema.
import { type Kysely, SqliteAdapter, sql } from 'kysely';
import { addDomains } from './0031-domains.ts';

export async function keepDomains(db: Kysely<unknown>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof SqliteAdapter)) {
    await sql`alter table domains drop constraint domains_workspace_id_fkey`.execute(db);
    return;
  }
  // SQLite drops a reference only together with its table.
  await sql`create temporary table kept_domains as select * from domains`.execute(db);
  await db.schema.dropTable('domains').execute();
  await addDomains(db, { refersToWorkspaces: false });
  await sql`insert into domains select * from kept_domains`.execute(db);
  await sql`drop table kept_domains`.execute(db);
}
