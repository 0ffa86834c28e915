import { deleteBy, findBy } from '../storage/queries/table-queries.ts';
import { databaseTime } from '../storage/schema/dialect.ts';
import type { Executor, MasterKeyCopyRow, ProcessRow } from '../storage/schema/schema.ts';

export type RunningProcess = Omit<ProcessRow, 'seen_time'>;

export async function recordProcess(trx: Executor, row: RunningProcess): Promise<void> {
  const seen_time = databaseTime(trx);
  await trx
    .insertInto('processes')
    .values({ ...row, seen_time })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_time }))
    .execute();
}

export const deleteProcess = deleteBy('processes', 'id');

/** Deletes the rows of processes that were killed, and rows from before the clock was set back. */
export async function deleteEndedProcesses(trx: Executor, ms: number): Promise<void> {
  await trx
    .deleteFrom('processes')
    .where(({ eb, or }) =>
      or([
        eb('seen_time', '<', databaseTime(trx, -ms)),
        eb('seen_time', '>', databaseTime(trx, ms)),
      ]),
    )
    .execute();
}

export type NodeRow = Pick<ProcessRow, 'host' | 'version' | 'start_time'> & {
  readonly processes: number;
};

/** Finds the nodes with processes that have recorded themselves in the last `ms`. */
export async function findNodes(db: Executor, ms: number): Promise<NodeRow[]> {
  const rows = await db
    .selectFrom('processes')
    .select(({ fn }) => [
      'host',
      'version',
      fn.min('start_time').as('start_time'),
      fn.countAll<number | string>().as('processes'),
    ])
    .where('seen_time', '>=', databaseTime(db, -ms))
    .where('seen_time', '<=', databaseTime(db, ms))
    .groupBy(['host', 'version'])
    .orderBy('host')
    .orderBy('version')
    .limit(nodesMax)
    .execute();
  return rows.map(({ processes, ...row }) => ({ ...row, processes: Number(processes) }));
}

const nodesMax = 200;

/** Keeps the time of the first confirmation. */
export async function confirmKeyCopy(trx: Executor, row: MasterKeyCopyRow): Promise<void> {
  await trx
    .insertInto('master_key_copies')
    .values(row)
    .onConflict((conflict) => conflict.column('key_id').doNothing())
    .execute();
}

export const findKeyCopy = findBy('master_key_copies', 'key_id');
