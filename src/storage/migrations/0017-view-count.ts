import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('links')
    .addColumn('view_count', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update links
    set view_count = (select count(*) from views where views.link_id = links.id)`.execute(db);
}
