// Deletes the changes that every process has read. A process polls several times a second, so ten
// minutes are plenty. A process that was suspended for longer finds the note of the deletion and
// evicts everything.

import { changeTableOf } from '../changes/open-change-table.ts';
import { transact } from '../database.ts';
import { deletionNote } from '../schema/change.ts';
import type { Database } from '../schema/schema.ts';

const keepMs = 600_000;
const sliceMax = 500;
const pauseMs = 20;

export type TrimOptions = {
  readonly db: Database;
  /** Counts milliseconds and never jumps. */
  readonly monotonicNow?: () => number;
};

/** When this process read a boundary. Changes before it had been committed by then. */
type Mark = { readonly time: number; readonly boundary: number };

/**
 * Returns the round of a periodic task that runs about once a minute. It deletes the changes that
 * had been committed at a round at least ten minutes ago. The times of the rows do not matter: a
 * transaction can stay open for longer than that.
 */
export function createChangesTrim({ db, monotonicNow = () => performance.now() }: TrimOptions) {
  const table = changeTableOf(db);
  let marks: readonly Mark[] = [];

  async function hasOld(boundary: number): Promise<boolean> {
    const old = db.selectFrom('changes').select('id').where(table.isBefore(boundary));
    return (await old.where('entity', '!=', deletionNote).limit(1).execute()).length > 0;
  }
  function noteDeletion(boundary: number): Promise<unknown> {
    const row = { entity_id: String(boundary), expire_time: null };
    return transact(db, (trx) =>
      trx
        .insertInto('changes')
        .values({ entity: deletionNote, ...row })
        .execute(),
    );
  }
  function deleteSlice(boundary: number): Promise<number> {
    return transact(db, async (trx) => {
      const old = trx.selectFrom('changes').select('id').where(table.isBefore(boundary));
      const slice = trx.deleteFrom('changes').where('id', 'in', old.orderBy('id').limit(sliceMax));
      return Number((await slice.executeTakeFirstOrThrow()).numDeletedRows);
    });
  }

  return async (signal: AbortSignal): Promise<void> => {
    const time = monotonicNow();
    const boundary = await table.readBoundary(db);
    const due = marks.filter((mark) => mark.time <= time - keepMs).at(-1);
    marks = [...marks.filter((mark) => mark.time > time - keepMs), { time, boundary }];
    if (due === undefined || !(await hasOld(due.boundary))) return;
    // Before the deletion, so that no process can miss it. This row is not old yet.
    await noteDeletion(due.boundary);
    while (!signal.aborted && (await deleteSlice(due.boundary)) === sliceMax) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
}
