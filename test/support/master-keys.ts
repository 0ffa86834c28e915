// The values that the database stores encrypted under the master key.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createMasterKey, type MasterKey } from '../../src/base/crypto/master-key.ts';
import { generateSigningKey, newKeyRow } from '../../src/identity/keys/signing-key.ts';
import { insertSigningKey } from '../../src/identity/keys/store.ts';
import { openDatabase, transact } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/schema/schema.ts';

export async function withDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openDatabase(url);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

export const urlIn = (dataDir: string) => `sqlite:${dataDir}/latchkey.db`;

/** The ids of the master keys under which values are encrypted. */
export function masterKeyIds(url: string): Promise<string[]> {
  return withDatabase(url, async (db) => {
    const tables = [
      await db.selectFrom('signing_keys').select('master_key_id').execute(),
      await db.selectFrom('totp_seeds').select('master_key_id').execute(),
    ];
    return tables.flat().map(({ master_key_id }) => master_key_id);
  });
}

/** Adds pending signing keys and a second factor, which are stored encrypted. */
export function addSealed(url: string, bytes: Uint8Array, count: number): Promise<void> {
  const masterKey = createMasterKey(bytes);
  return withDatabase(url, async (db) => {
    const keys = await Promise.all(
      Array.from({ length: count }, () => generateSigningKey(masterKey)),
    );
    await transact(db, async (trx) => {
      for (const key of keys) await insertSigningKey(trx, newKeyRow(key, 'pending', Date.now()));
      const user = await trx.selectFrom('users').select('id').executeTakeFirstOrThrow();
      await trx
        .insertInto('totp_seeds')
        .values({
          user_id: user.id,
          ciphertext: masterKey.seal(Buffer.alloc(20, 'seed'), `totp seed ${user.id}`),
          master_key_id: masterKey.id,
          create_time: Date.now(),
          confirm_time: null,
          last_step: 0,
        })
        .execute();
    });
  });
}

/** The master key of a data folder. */
export async function fileKey(dataDir: string): Promise<MasterKey> {
  const text = await readFile(path.join(dataDir, 'master.key'), 'utf8');
  return createMasterKey(Buffer.from(text.trim(), 'hex'));
}
