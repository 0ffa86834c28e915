// Queries that find rows of one table by the values of columns. Store files name them, such as
// `findAudience`.
import type { ExpressionBuilder, Insertable, Selectable, SelectType, Updateable } from 'kysely';
import type { Executor, Schema } from '../schema/schema.ts';
import { type List, type ListPage, readList } from './list.ts';
import type { ListQuery } from './list-request.ts';
import { anyTable, lockRow } from './row-locks.ts';

type Table = keyof Schema;
type Column<T extends Table> = keyof Schema[T] & string;
type Row<T extends Table> = Selectable<Schema[T]>;
/** The id and the creation of a row never change. */
type Change<T extends Table> = Omit<Updateable<Schema[T]>, 'id' | 'create_time' | 'creator_id'>;
type Values<T extends Table, C extends readonly Column<T>[]> = {
  readonly [I in keyof C]: SelectType<Schema[T][C[I]]>;
};

export function findBy<T extends Table, const C extends readonly Column<T>[]>(
  table: T,
  ...columns: C
) {
  return (db: Executor, ...values: Values<T, C>): Promise<Row<T> | undefined> => {
    const rows = anyTable(db).selectFrom<string>(table).selectAll();
    const found = rows.where(matching(columns, values));
    return found.executeTakeFirst() as Promise<Row<T> | undefined>;
  };
}

/** The function returns the row, read under its lock. */
export function lockBy<T extends Table>(table: T, column: Column<T>) {
  return (trx: Executor, value: string) => lockRow(trx, table, column, value);
}

/** Which rows a list shows. An empty `externalId` means all. */
export type ShownRows = { readonly externalId?: string; readonly showDeleted?: boolean };

/** The function reads a page. With `hidesDeleted`, it reads deleted rows only on request. */
export function listFrom<T extends Table>(table: T, list: List, { hidesDeleted = false } = {}) {
  return (
    db: Executor,
    query: ListQuery,
    { externalId = '', showDeleted = !hidesDeleted }: ShownRows = {},
  ): Promise<ListPage<Row<T>>> => {
    let rows = anyTable(db).selectFrom<string>(table).selectAll();
    if (externalId !== '') rows = rows.where('external_id', '=', externalId);
    if (!showDeleted) rows = rows.where('delete_time', 'is', null);
    return readList(db, rows, list, query) as Promise<ListPage<Row<T>>>;
  };
}

export function insertInto<T extends Table>(table: T) {
  return async (db: Executor, row: Insertable<Schema[T]>): Promise<void> => {
    await anyTable(db).insertInto<string>(table).values(row).execute();
  };
}

/** The function returns whether it inserted the row: no other row had the value of the column. */
export function insertUnlessTaken<T extends Table>(table: T, column: Column<T>) {
  const name: string = column;
  return async (db: Executor, row: Insertable<Schema[T]>): Promise<boolean> => {
    const { numInsertedOrUpdatedRows = 0n } = await anyTable(db)
      .insertInto<string>(table)
      .values(row)
      .onConflict((conflict) => conflict.column(name).doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows > 0n;
  };
}

/** Without a column to change, the update does nothing. */
export function updateBy<T extends Table>(table: T, column: Column<T>) {
  const name: string = column;
  return async (db: Executor, value: string, change: Change<T>): Promise<void> => {
    if (Object.keys(change).length === 0) return;
    await anyTable(db).updateTable<string>(table).set(change).where(name, '=', value).execute();
  };
}

/** The function deletes all rows with the values, and returns whether there were any. */
export function deleteBy<T extends Table, const C extends readonly Column<T>[]>(
  table: T,
  ...columns: C
) {
  return async (db: Executor, ...values: Values<T, C>): Promise<boolean> => {
    const rows = anyTable(db).deleteFrom<string>(table);
    const found = rows.where(matching(columns, values));
    return (await found.executeTakeFirst()).numDeletedRows > 0n;
  };
}

/** Kysely ignores the undefined values of an object, so this is a list of conditions. */
const matching =
  (columns: readonly string[], values: readonly unknown[]) =>
  (eb: ExpressionBuilder<Record<string, Record<string, unknown>>, string>) =>
    eb.and(columns.map((column, i) => eb(column, '=', values[i])));
