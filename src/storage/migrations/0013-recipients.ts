// Adds the view limit and the recipient of links, and the mails to readers. Expands only: earlier
// releases ignore them.
import type { Kysely } from 'kysely';
import { recordLinkChanges } from './link-changes.ts';

export async function addRecipients(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('links').addColumn('view_limit', 'bigint').execute();
  await db.schema
    .alterTable('links')
    .addColumn('recipient', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema
    .createTable('reader_mails')
    .addColumn('target_id', 'text', (c) => c.primaryKey())
    .addColumn('due_time', 'bigint', (c) => c.notNull())
    .addColumn('attempts', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('reader_mails_due')
    .on('reader_mails')
    .columns(['due_time', 'target_id'])
    .execute();
  await recordLinkChanges(db, 'links_limit_change', ['view_limit']);
}
