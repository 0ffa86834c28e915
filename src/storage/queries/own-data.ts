// Reads the rows about a user in pages, in the order of their ids.

import type { Database, Schema } from '../schema/schema.ts';
import { anyTable } from './row-locks.ts';

type Row = Record<string, unknown>;
type Column<T extends keyof Schema> = keyof Schema[T] & string;

export const ownDataPageMax = 500;

type OwnRows<T extends keyof Schema> = {
  readonly table: T;
  /** The column with the id or the email address of the user. Needs an index. */
  readonly owner: Column<T>;
  readonly by: 'id' | 'email';
  readonly columns: readonly Column<T>[];
  /** A column that differs between the rows of the user. Default: `id`. */
  readonly key?: Column<T>;
};

export function ownData<T extends keyof Schema>({ table, owner, by, columns, key }: OwnRows<T>) {
  const order: string = key ?? 'id';
  const column: string = owner;
  return (db: Database, user: { readonly id: string; readonly email: string }) =>
    pagesByKey(order, (after) =>
      anyTable(db)
        .selectFrom<string>(table)
        .select([...columns])
        .where(column, '=', user[by])
        .where(order, '>', after)
        .orderBy(order)
        .limit(ownDataPageMax)
        .execute(),
    );
}

export async function* pagesByKey(
  key: string,
  read: (after: string) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let after = ''; ; ) {
    const rows = await read(after);
    if (rows.length > 0) yield rows;
    const last = rows[ownDataPageMax - 1];
    if (last === undefined) return;
    after = String(last[key]);
  }
}
