// Row locks for both dialects. SQLite has no SELECT FOR UPDATE, so that a lock is an update that
// changes nothing.
import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Executor, Schema } from './schema.ts';

type Column<T extends keyof Schema> = keyof Schema[T] & string;

/** Kysely cannot type a query on a table that is a type parameter. */
const anyTable = (trx: Executor) => trx as unknown as Kysely<Record<string, AnyRow>>;

type AnyRow = Record<string, unknown>;

/**
 * Locks the rows whose `column` has one of the values until the transaction ends: other
 * transactions that lock or change them wait. Returns the rows as they are once locked.
 */
export async function lockRows<T extends keyof Schema>(
  trx: Executor,
  table: T,
  column: Column<T>,
  values: readonly string[],
): Promise<Selectable<Schema[T]>[]> {
  if (values.length === 0) return [];
  const name: string = column;
  const rows = await anyTable(trx)
    .updateTable<string>(table)
    .set((eb) => ({ [name]: eb.ref(name) }))
    .where(name, 'in', values)
    .returningAll()
    .execute();
  return rows as Selectable<Schema[T]>[];
}

/** Locks the row whose `column` has the value; undefined if there is none. */
export async function lockRow<T extends keyof Schema>(
  trx: Executor,
  table: T,
  column: Column<T>,
  value: string,
): Promise<Selectable<Schema[T]> | undefined> {
  return (await lockRows(trx, table, column, [value]))[0];
}

/**
 * Inserts the rows that do not exist yet and locks those that do. They are locked in the order
 * given: use one order everywhere, so that transactions cannot deadlock. Returns the stored rows.
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
