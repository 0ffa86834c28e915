import { findBy } from '../../storage/queries/table-queries.ts';
import type { AgreementRow } from '../../storage/schema/gate-rows.ts';
import type { Executor } from '../../storage/schema/schema.ts';

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

export const findAgreement = findBy('agreements', 'link_id', 'email', 'sha256');

export const findAgreementById = findBy('agreements', 'id');
