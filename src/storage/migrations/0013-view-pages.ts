import type { Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('view_pages')
    .addColumn('view_id', 'text', (c) => c.notNull().references('views.id').onDelete('cascade'))
    .addColumn('visit', 'text', (c) => c.notNull())
    .addColumn('page', 'bigint', (c) => c.notNull())
    .addColumn('duration_ms', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('view_pages_pkey', ['view_id', 'visit', 'page'])
    .execute();
}
