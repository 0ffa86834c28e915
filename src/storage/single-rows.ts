// The queries of one table by one column. Store files name them: `findAudience`, `insertAudience`.
import type { Insertable, Selectable, Updateable } from 'kysely';
import { anyTable } from './row-locks.ts';
import type { Executor, Schema } from './schema.ts';

type Table = keyof Schema;
type Column<T extends Table> = keyof Schema[T] & string;
type Row<T extends Table> = Selectable<Schema[T]>;

export function findBy<T extends Table>(table: T, column: Column<T>) {
  const name: string = column;
  return (db: Executor, value: string) => {
    const rows = anyTable(db).selectFrom<string>(table).selectAll().where(name, '=', value);
    return rows.executeTakeFirst() as Promise<Row<T> | undefined>;
  };
}

export function insertInto<T extends Table>(table: T) {
  return async (db: Executor, row: Insertable<Schema[T]>): Promise<void> => {
    await anyTable(db).insertInto<string>(table).values(row).execute();
  };
}

/** Without a column to change, the update does nothing. */
export function updateBy<T extends Table>(table: T, column: Column<T>) {
  const name: string = column;
  return async (db: Executor, value: string, change: Updateable<Schema[T]>): Promise<void> => {
    if (Object.keys(change).length === 0) return;
    await anyTable(db).updateTable<string>(table).set(change).where(name, '=', value).execute();
  };
}

/** Deletes all rows with the value. */
export function deleteBy<T extends Table>(table: T, column: Column<T>) {
  const name: string = column;
  return async (db: Executor, value: string): Promise<void> => {
    await anyTable(db).deleteFrom<string>(table).where(name, '=', value).execute();
  };
}
