// Adds the watermark of links. Expands only: earlier releases show the documents without it, so the
// first watermark should wait until all processes are updated.
import type { Kysely } from 'kysely';
import { recordLinkChanges } from './link-changes.ts';

export async function addWatermarks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('links')
    .addColumn('watermark', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await recordLinkChanges(db, 'links_watermark_change', ['watermark']);
}
