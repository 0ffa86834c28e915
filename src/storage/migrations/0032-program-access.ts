// Adds links that programs may read for a person. Expands only: earlier releases refuse programs.
import type { Kysely } from 'kysely';
import { recordLinkChanges } from './link-changes.ts';

export async function addProgramAccess(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('links')
    .addColumn('program_access', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  for (const column of ['acting_client_id', 'acting_client_name']) {
    await db.schema
      .alterTable('views')
      .addColumn(column, 'text', (c) => c.notNull().defaultTo(''))
      .execute();
  }
  await recordLinkChanges(db, 'links_program_access_change', ['program_access']);
}
