import { hasRow } from '../../storage/queries/row-counts.ts';
import { skipLocked } from '../../storage/queries/row-locks.ts';
import { deleteBy } from '../../storage/queries/table-queries.ts';
import type { Executor, RecordedAnswerRow } from '../../storage/schema/schema.ts';

export type ValidTimes = { readonly after: number; readonly until: number };

export function hasAnswer(db: Executor, key: string, times: ValidTimes): Promise<boolean> {
  return hasRow(validAnswer(db, key, times));
}

export function findAnswer(
  db: Executor,
  key: string,
  times: ValidTimes,
): Promise<RecordedAnswerRow | undefined> {
  return validAnswer(db, key, times).selectAll().executeTakeFirst();
}

function validAnswer(db: Executor, key: string, { after, until }: ValidTimes) {
  return db
    .selectFrom('recorded_answers')
    .where('key', '=', key)
    .where('create_time', '>', after)
    .where('create_time', '<=', until);
}

/** False if a valid row has the key. Waits for a transaction that has inserted it. */
export async function insertAnswer(
  trx: Executor,
  row: RecordedAnswerRow,
  { after, until }: ValidTimes,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await trx
    .insertInto('recorded_answers')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet(row)
        .where((eb) =>
          eb.or([
            eb('recorded_answers.create_time', '<=', after),
            eb('recorded_answers.create_time', '>', until),
          ]),
        ),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

export const deleteAnswer = deleteBy('recorded_answers', 'key');

const deletedMax = 20;

export async function deleteSurplus(
  trx: Executor,
  caller: string,
  answersMax: number,
): Promise<void> {
  const own = trx.selectFrom('recorded_answers').where('caller', '=', caller);
  const surplus = await own
    .select('create_time')
    .orderBy('create_time', 'desc')
    .offset(answersMax)
    .limit(1)
    .executeTakeFirst();
  if (surplus === undefined) return;
  const oldest = own
    .select('key')
    .where('create_time', '<=', surplus.create_time)
    .orderBy('create_time')
    .limit(deletedMax);
  const keys = (await skipLocked(trx, oldest).execute()).map(({ key }) => key);
  if (keys.length === 0) return;
  await trx.deleteFrom('recorded_answers').where('key', 'in', keys).execute();
}
