// Deletes resources for good once their waiting time has ended, with everything that belongs to
// them. Each slice is a transaction. After a crash, the next round continues with the other rows.
import { anyTable, lockRow } from '../queries/row-locks.ts';
import type { Executor, Schema } from '../schema/schema.ts';
import type { RetentionRule } from './retention.ts';

export type PurgedTable = 'clients' | 'customers' | 'users' | 'workspaces';

/** Deletes about `limit` rows of a resource, and returns their number. Fewer: none is left. */
export type PurgeStep = (trx: Executor, id: string, limit: number) => Promise<number>;

export type Purge = {
  readonly table: PurgedTable;
  /** In the order in which rows refer to each other. */
  readonly steps: readonly PurgeStep[];
  /** By default, deletes the row. Otherwise it must set `delete_time` to null. */
  readonly finish?: (trx: Executor, id: string) => Promise<void>;
};

export type PurgeOptions = {
  /** The current time, for the purpose of deleting something for good. */
  readonly trustedTime: () => Promise<number>;
  readonly record: (trx: Executor, table: PurgedTable, id: string) => Promise<void>;
};

export function purgeRule(purge: Purge, { trustedTime, record }: PurgeOptions): RetentionRule {
  const failed = new Set<string>();
  let current: string | undefined;
  return {
    rows: `deleted ${purge.table}`,
    async begin() {
      const time = await trustedTime();
      // The last round may have ended because this one failed. It must not hold up the others.
      if (failed.size >= failedMax) failed.clear();
      if (current !== undefined) failed.add(current);
      current = undefined;
      return (trx, limit) =>
        deleteUntil(limit, async (rest) => {
          current = await findNext(trx, purge.table, time, failed);
          if (current === undefined) return 0;
          return purgeOne(trx, purge, { id: current, time, limit: rest, record });
        });
    },
  };
}

/** Repeats a step until it has deleted `limit` rows, or finds none. Returns their number. */
export async function deleteUntil(
  limit: number,
  step: (rest: number) => Promise<number>,
): Promise<number> {
  let deleted = 0;
  while (deleted < limit) {
    const rows = await step(limit - deleted);
    if (rows === 0) break;
    deleted += rows;
  }
  return deleted;
}

/** Resources that failed are tried last, until this many have failed. */
const failedMax = 100;

async function findNext(
  trx: Executor,
  table: PurgedTable,
  time: number,
  failed: ReadonlySet<string>,
): Promise<string | undefined> {
  const due = anyTable(trx).selectFrom<string>(table).select('id').where('delete_time', '<=', time);
  const first = due.orderBy('delete_time').orderBy('id').limit(1);
  const others = failed.size === 0 ? first : first.where('id', 'not in', [...failed]);
  const next = (await others.executeTakeFirst()) ?? (await first.executeTakeFirst());
  return next === undefined ? undefined : String(next.id);
}

type Slice = Pick<PurgeOptions, 'record'> & {
  readonly id: string;
  readonly time: number;
  readonly limit: number;
};

async function purgeOne(
  trx: Executor,
  { table, steps, finish = deleteFrom(table) }: Purge,
  { id, time, limit, record }: Slice,
): Promise<number> {
  // An undeletion locks the row, too, and then reads it.
  const row = await lockRow(trx, table, 'id', id);
  if (row === undefined || row.delete_time === null || row.delete_time > time) return 0;
  if (row.purge_time === null) {
    await trx.updateTable(table).set({ purge_time: time }).where('id', '=', id).execute();
  }
  let deleted = 0;
  for (const step of steps) {
    deleted += await step(trx, id, limit - deleted);
    if (deleted >= limit) return deleted;
  }
  await finish(trx, id);
  await record(trx, table, id);
  return deleted + 1;
}

const deleteFrom = (table: PurgedTable) => async (trx: Executor, id: string) => {
  await trx.deleteFrom(table).where('id', '=', id).execute();
};

type Column<T extends keyof Schema> = keyof Schema[T] & string;

/** Deletes the rows of a table that belong to the resource. `key` differs between them. */
export function ownedRows<T extends keyof Schema>(
  table: T,
  owner: Column<T>,
  key: Column<T>,
): PurgeStep {
  return async (trx, id, limit) => {
    const ownerColumn: string = owner;
    const keyColumn: string = key;
    const owned = anyTable(trx).selectFrom<string>(table).select(keyColumn);
    const rows = await owned.where(ownerColumn, '=', id).limit(limit).execute();
    if (rows.length === 0) return 0;
    const keys = rows.map((row) => row[keyColumn]);
    await anyTable(trx)
      .deleteFrom<string>(table)
      .where(ownerColumn, '=', id)
      .where(keyColumn, 'in', keys)
      .execute();
    return rows.length;
  };
}
