// Adds the options that the console preselects for links. Expands only: earlier releases ignore
// them.
import type { Kysely } from 'kysely';

export async function addLinkDefaults(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('workspaces')
    .addColumn('link_defaults', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
}
