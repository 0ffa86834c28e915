// What is stored under the master key, so that it can be encrypted anew under another one.

import type { MasterKey } from '../../crypto/master-key.ts';
import type { Executor } from '../../storage/schema.ts';
import { findSealedKeys, updateSealedKey } from './store.ts';

export type SealedValue = {
  /** The row's id. */
  readonly id: string;
  readonly ciphertext: string;
  readonly masterKeyId: string;
};

/** A column of a table whose values are sealed. */
export type SealedColumn = {
  /** What a value of it is, for people. */
  readonly name: string;
  /** What a value is sealed for; see `MasterKey.seal`. */
  purpose(id: string): string;
  read(db: Executor): Promise<readonly SealedValue[]>;
  write(db: Executor, value: SealedValue): Promise<void>;
};

export const sealedSigningKeys: SealedColumn = {
  name: 'signing key',
  purpose: (kid) => `signing key ${kid}`,
  read: findSealedKeys,
  write: updateSealedKey,
};

export type Resealed = {
  /** How many values were encrypted anew. */
  readonly changed: number;
  /** How many were under the master key already. */
  readonly unchanged: number;
};

/**
 * Encrypts anew what is not under the master key yet. Throws, naming it, where a value can be
 * opened neither with it nor with the keys that it replaces; to be called in a transaction, so that
 * this undoes all.
 */
export async function reseal(
  trx: Executor,
  columns: readonly SealedColumn[],
  masterKey: MasterKey,
): Promise<Resealed> {
  const count = { changed: 0, unchanged: 0 };
  for (const column of columns) {
    for (const value of await column.read(trx)) {
      const plaintext = openOrThrow(column, value, masterKey);
      if (value.masterKeyId === masterKey.id) {
        count.unchanged++;
        continue;
      }
      const ciphertext = masterKey.seal(plaintext, column.purpose(value.id));
      await column.write(trx, { id: value.id, ciphertext, masterKeyId: masterKey.id });
      count.changed++;
    }
  }
  return count;
}

function openOrThrow(column: SealedColumn, value: SealedValue, masterKey: MasterKey): Buffer {
  try {
    return masterKey.open(value.ciphertext, column.purpose(value.id));
  } catch (cause) {
    const under = `was encrypted under the master key ${value.masterKeyId}`;
    throw new Error(`the ${column.name} ${value.id} ${under}, which is not given`, { cause });
  }
}
