import type { SealedColumn } from '../keys/sealed.ts';
import { seedPurpose } from './totp.ts';

/** The seeds of users' second factors, for when the master key is rotated. */
export const sealedSeeds: SealedColumn = {
  name: 'TOTP seed',
  purpose: seedPurpose,
  read: (db) =>
    db
      .selectFrom('totp_seeds')
      .select(['user_id as id', 'ciphertext', 'master_key_id as masterKeyId'])
      .orderBy('user_id')
      .execute(),
  async write(db, { id, ciphertext, masterKeyId }) {
    await db
      .updateTable('totp_seeds')
      .set({ ciphertext, master_key_id: masterKeyId })
      .where('user_id', '=', id)
      .execute();
  },
};
