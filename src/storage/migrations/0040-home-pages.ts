// Adds what the home pages show: the running processes, and credentials and links that expire soon.
// Expands only: processes of earlier releases are not shown.
import { type Kysely, sql } from 'kysely';

/** The indexes cover only rows that expire, so that they cost nothing for the others. */
const expiring: readonly (readonly [table: string, name: string, owner: string[]])[] = [
  ['credentials', 'expiring', []],
  ['client_keys', 'expiring', []],
  ['links', 'expiring', ['workspace_id']],
  ['links', 'document_expiring', ['document_id', 'workspace_id']],
  ['links', 'folder_expiring', ['folder_id', 'workspace_id']],
];

export async function prepareHomePages(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('processes')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('start_time', 'bigint', (column) => column.notNull())
    .addColumn('seen_time', 'bigint', (column) => column.notNull())
    .execute();
  for (const [table, name, owner] of expiring) {
    await db.schema
      .createIndex(`${table}_${name}`)
      .on(table)
      .columns([...owner, 'expire_time', 'id'])
      .where(sql.ref('expire_time'), 'is not', null)
      .execute();
  }
}
