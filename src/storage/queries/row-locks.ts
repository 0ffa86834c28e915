// Row locks for both dialects. On SQLite, a transaction is alone from its start (begin immediate),
// so it is enough to read a row.

import type { Expression, Insertable, Kysely, Selectable, SelectQueryBuilder } from 'kysely';
import { isPostgres } from '../schema/dialect.ts';
import type { Executor, Schema } from '../schema/schema.ts';

type Column<T extends keyof Schema> = keyof Schema[T] & string;

/** Kysely cannot type a query on a table that is a type parameter. */
export const anyTable = (trx: Executor) => trx as unknown as Kysely<Record<string, AnyRow>>;

type AnyRow = Record<string, unknown>;

/**
 * Returns the rows, read under the lock. Transactions that lock or change them wait. `values` may
 * be a query.
 */
export async function lockRows<T extends keyof Schema>(
  trx: Executor,
  table: T,
  column: Column<T>,
  values: readonly string[] | Expression<unknown>,
): Promise<Selectable<Schema[T]>[]> {
  if ('length' in values && values.length === 0) return [];
  const name: string = column;
  const query = anyTable(trx).selectFrom<string>(table).selectAll().where(name, 'in', values);
  // Inserts of rows that refer to the locked rows do not wait.
  const locking = isPostgres(trx) ? query.forNoKeyUpdate() : query;
  return (await locking.execute()) as Selectable<Schema[T]>[];
}

/** Like `lockRows`, for many rows: reads only their ids, and locks the rows in that order. */
export async function lockOnly<T extends keyof Schema>(
  trx: Executor,
  table: T,
  column: Column<T>,
  values: readonly string[],
): Promise<void> {
  if (!isPostgres(trx) || values.length === 0) return;
  const name: string = column;
  const rows = anyTable(trx).selectFrom<string>(table).select('id').where(name, 'in', values);
  await rows.orderBy('id').forNoKeyUpdate().execute();
}

export async function lockRow<T extends keyof Schema>(
  trx: Executor,
  table: T,
  column: Column<T>,
  value: string,
): Promise<Selectable<Schema[T]> | undefined> {
  return (await lockRows(trx, table, column, [value]))[0];
}

/** On SQLite, a transaction that writes is alone, and nothing changes. */
export function skipLocked<DB, T extends keyof DB, O>(
  trx: Executor,
  query: SelectQueryBuilder<DB, T, O>,
): SelectQueryBuilder<DB, T, O> {
  return isPostgres(trx) ? query.forUpdate().skipLocked() : query;
}

/**
 * Inserts the rows that do not exist and locks the rows that do. Rows are locked in the given
 * order: use the same order everywhere to prevent deadlocks. Returns the stored rows.
 */
export async function insertOrLockRows<T extends keyof Schema>(
  trx: Executor,
  table: T,
  column: Column<T>,
  rows: readonly Insertable<Schema[T]>[],
): Promise<Selectable<Schema[T]>[]> {
  const name: string = column;
  const stored = await anyTable(trx)
    .insertInto<string>(table)
    .values(rows as readonly AnyRow[])
    .onConflict((conflict) =>
      conflict.column(name).doUpdateSet((eb) => ({ [name]: eb.ref(`${table}.${name}`) })),
    )
    .returningAll()
    .execute();
  return stored as Selectable<Schema[T]>[];
}
