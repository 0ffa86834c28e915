// The columns that are encrypted under the master key, for encrypting them again under a new one.

import type { MasterKey } from '../../base/crypto/master-key.ts';
import {
  type SealedRows,
  type SealedValue,
  sealedRows,
} from '../../storage/queries/sealed-rows.ts';
import type { Executor } from '../../storage/schema/schema.ts';
import { statesWithPrivateKey } from './lifecycle.ts';

export type SealedColumn = SealedRows & {
  readonly name: string;
  purpose(id: string): string;
};

export const sealedSigningKeys: SealedColumn = {
  name: 'signing key',
  purpose: (kid) => `signing key ${kid}`,
  ...sealedRows('signing_keys', 'kid', 'private_ciphertext', statesWithPrivateKey),
};

export const sealedReceiptKeys: SealedColumn = {
  name: 'receipt key',
  purpose: (kid) => `receipt key ${kid}`,
  ...sealedRows('receipt_keys', 'kid', 'private_ciphertext'),
};

export type ResealResult = {
  readonly changed: number;
  readonly unchanged: number;
};

/** Throws with the name of a value that no key decrypts; the transaction undoes all changes. */
export async function reseal(
  trx: Executor,
  columns: readonly SealedColumn[],
  masterKey: MasterKey,
): Promise<ResealResult> {
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

export async function requireDecryptable(
  db: Executor,
  columns: readonly SealedColumn[],
  masterKey: MasterKey,
): Promise<void> {
  for (const column of columns) {
    for (const value of await column.read(db)) openOrThrow(column, value, masterKey);
  }
}

function openOrThrow(column: SealedColumn, value: SealedValue, masterKey: MasterKey): Buffer {
  try {
    return masterKey.open(value.ciphertext, column.purpose(value.id));
  } catch (cause) {
    const under = `was encrypted under the master key ${value.masterKeyId}`;
    throw new Error(`the ${column.name} ${value.id} ${under}, which is not given`, { cause });
  }
}
