// Records what the home pages show: the last view that a link's creator is mailed about, and
// whether staff confirmed a copy of the master key. Expands only.
import { type Kysely, sql } from 'kysely';

export async function addNoticesAndKeyCopies(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('link_notices').addColumn('view_id', 'text').execute();
  await sql`update link_notices set view_id = (select views.id from views
    where views.link_id = link_notices.link_id order by views.create_time desc, views.id desc
    limit 1)`.execute(db);
  await db.schema
    .createTable('master_key_copies')
    .addColumn('key_id', 'text', (column) => column.primaryKey())
    .addColumn('create_time', 'bigint', (column) => column.notNull())
    .execute();
}
