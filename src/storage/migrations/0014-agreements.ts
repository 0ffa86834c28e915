// Adds agreements and the keys of their receipts. Expands only: earlier releases ignore them.
import type { Kysely } from 'kysely';
import { recordLinkChanges } from './link-changes.ts';

export async function addAgreements(db: Kysely<unknown>): Promise<void> {
  for (const [table, column] of [
    ['links', 'agreement_sha256'],
    ['views', 'agreement_id'],
  ] as const) {
    await db.schema
      .alterTable(table)
      .addColumn(column, 'text', (c) => c.notNull().defaultTo(''))
      .execute();
  }
  await recordLinkChanges(db, 'links_agreement_change', ['agreement_sha256']);
  await createTable(db, 'agreement_texts', 'sha256', ['text']);
  await createTable(
    db,
    'agreements',
    'id',
    ['workspace_id', 'link_id', 'document_id', 'sha256', 'email', 'receipt'],
    'accept_time',
  );
  await db.schema
    .createIndex('agreements_link')
    .on('agreements')
    .columns(['link_id', 'email', 'sha256'])
    .unique()
    .execute();
  const sealed = ['public_x', 'private_ciphertext', 'master_key_id'];
  await createTable(db, 'receipt_keys', 'kid', sealed, 'create_time');
}

async function createTable(
  db: Kysely<unknown>,
  name: string,
  key: string,
  texts: readonly string[],
  time?: string,
): Promise<void> {
  let table = db.schema.createTable(name).addColumn(key, 'text', (c) => c.primaryKey());
  for (const column of texts) table = table.addColumn(column, 'text', (c) => c.notNull());
  if (time !== undefined) table = table.addColumn(time, 'bigint', (c) => c.notNull());
  await table.execute();
}
