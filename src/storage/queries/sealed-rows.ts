// Reads and writes the values of a column that is encrypted under the master key.

import type { Executor, Schema } from '../schema/schema.ts';
import { anyTable } from './row-locks.ts';

export type SealedValue = {
  readonly id: string;
  readonly ciphertext: string;
  readonly masterKeyId: string;
};

export type SealedRows = {
  read(db: Executor): Promise<readonly SealedValue[]>;
  write(db: Executor, value: SealedValue): Promise<void>;
};

/** `states`: only the rows in these states; by default, all rows. */
export function sealedRows<T extends keyof Schema>(
  table: T,
  key: keyof Schema[T] & string,
  column: keyof Schema[T] & string,
  states?: readonly string[],
): SealedRows {
  const id: string = key;
  const columns: string[] = [`${id} as id`, `${column} as ciphertext`];
  return {
    async read(db) {
      const all = anyTable(db)
        .selectFrom<string>(table)
        .select([...columns, 'master_key_id as masterKeyId'])
        .orderBy(id);
      const rows = states === undefined ? all : all.where('state', 'in', states);
      return (await rows.execute()) as SealedValue[];
    },
    async write(db, { id: value, ciphertext, masterKeyId }) {
      await anyTable(db)
        .updateTable<string>(table)
        .set({ [column]: ciphertext, master_key_id: masterKeyId })
        .where(id, '=', value)
        .execute();
    },
  };
}
