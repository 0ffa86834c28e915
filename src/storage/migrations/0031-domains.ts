// Adds the custom domains of workspaces. Expands only: earlier releases serve everything under
// every host name, so the first domain should wait until all processes are updated.
import { type Kysely, sql } from 'kysely';
import { createTriggers } from './0002-changes.ts';
import { createIndex } from './indexes.ts';

export async function addDomains(
  db: Kysely<unknown>,
  { refersToWorkspaces = true } = {},
): Promise<void> {
  await db.schema
    .createTable('domains')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('workspace_id', 'text', (c) =>
      refersToWorkspaces ? c.notNull().references('workspaces.id') : c.notNull(),
    )
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('txt_value', 'text', (c) => c.notNull())
    .addColumn('is_primary', 'bigint', (c) => c.notNull())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .addColumn('verify_time', 'bigint')
    .addColumn('remove_time', 'bigint')
    .execute();
  await createIndex(db, 'domains', 'newest', ['workspace_id', 'create_time', 'id']);
  await sql`create unique index domains_verified_name on domains (name)
    where verify_time is not null`.execute(db);
  await sql`create unique index domains_workspace_name on domains (workspace_id, name)
    where remove_time is null`.execute(db);
  await sql`create unique index domains_primary on domains (workspace_id)
    where is_primary = 1`.execute(db);
  await sql`create index domains_removed on domains (remove_time)
    where remove_time is not null`.execute(db);
  await createTriggers(db, [
    {
      table: 'domains',
      entity: 'domain',
      id: 'id',
      columns: ['id', 'workspace_id', 'name', 'is_primary', 'verify_time', 'remove_time'],
      events: ['insert', 'update', 'delete'],
    },
  ]);
}
