import type { AgreementRow } from '../../storage/agreement-rows.ts';
import type { DocumentRow, Executor, FolderRow } from '../../storage/schema.ts';

export async function insertText(trx: Executor, sha256: string, text: string): Promise<void> {
  await trx
    .insertInto('agreement_texts')
    .values({ sha256, text })
    .onConflict((conflict) => conflict.column('sha256').doNothing())
    .execute();
}

export async function findText(db: Executor, sha256: string): Promise<string | undefined> {
  const texts = db.selectFrom('agreement_texts').select('text').where('sha256', '=', sha256);
  return (await texts.executeTakeFirst())?.text;
}

/** Inserts an agreement. Returns false if the reader has accepted the text of the link before. */
export async function insertAgreement(trx: Executor, row: AgreementRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('agreements')
    .values(row)
    .onConflict((conflict) => conflict.columns(['link_id', 'email', 'sha256']).doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export function findAgreement(
  db: Executor,
  { link_id, email, sha256 }: Pick<AgreementRow, 'link_id' | 'email' | 'sha256'>,
): Promise<AgreementRow | undefined> {
  return db
    .selectFrom('agreements')
    .selectAll()
    .where('link_id', '=', link_id)
    .where('email', '=', email)
    .where('sha256', '=', sha256)
    .executeTakeFirst();
}

export function findAgreementById(db: Executor, id: string): Promise<AgreementRow | undefined> {
  return db.selectFrom('agreements').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns the folder of a link, unless it was deleted. */
export function findAgreedFolder(
  db: Executor,
  id: string,
): Promise<Pick<FolderRow, 'name'> | undefined> {
  return db
    .selectFrom('folders')
    .select('name')
    .where('id', '=', id)
    .where('remove_time', 'is', null)
    .executeTakeFirst();
}

export function findAgreedDocument(
  db: Executor,
  id: string,
): Promise<Pick<DocumentRow, 'name' | 'sha256' | 'version'> | undefined> {
  return db
    .selectFrom('documents')
    .select(['name', 'sha256', 'version'])
    .where('id', '=', id)
    .where('remove_time', 'is', null)
    .executeTakeFirst();
}
