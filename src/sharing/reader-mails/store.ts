import { retriesDueBy, type WaitingMail } from '../../base/mail/retries.ts';
import { deleteBy } from '../../storage/queries/table-queries.ts';
import type { Executor, ReaderMailRow } from '../../storage/schema/schema.ts';

export async function insertMails(trx: Executor, rows: readonly ReaderMailRow[]): Promise<void> {
  await trx.insertInto('reader_mails').values(rows).execute();
}

export function findDueMail(db: Executor, now: number): Promise<ReaderMailRow | undefined> {
  return db
    .selectFrom('reader_mails')
    .selectAll()
    .where('due_time', '<=', now)
    .orderBy('due_time')
    .orderBy('target_id')
    .limit(1)
    .executeTakeFirst();
}

/** Returns mails that are due, or will be tried again, up to a limit. */
export function findWaitingMails(db: Executor, now: number, limit: number): Promise<WaitingMail[]> {
  return db
    .selectFrom('reader_mails')
    .select(['due_time', 'attempts'])
    .where('due_time', '<=', retriesDueBy(now))
    .orderBy('due_time')
    .orderBy('target_id')
    .limit(limit)
    .execute();
}

export const deleteMail = deleteBy('reader_mails', 'target_id');

export async function postponeMail(
  trx: Executor,
  { target_id, due_time, attempts }: Omit<ReaderMailRow, 'message'>,
): Promise<void> {
  await trx
    .updateTable('reader_mails')
    .set({ due_time, attempts })
    .where('target_id', '=', target_id)
    .execute();
}
