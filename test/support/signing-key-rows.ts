import { createHash, generateKeyPairSync } from 'node:crypto';
import { transact } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { dayMs } from './link-rows.ts';

/** Makes the signing keys look like those of some months, shortly after a rotation. */
export async function addKeyHistory(db: Database): Promise<void> {
  const now = Date.now();
  const turned = now - 20 * 60_000;
  await transact(db, async (trx) => {
    await trx
      .updateTable('signing_keys')
      .set({ create_time: turned - 3_600_000, activate_time: turned })
      .execute();
    for (const months of [1, 2, 3]) {
      const activated = turned - months * 30 * dayMs;
      const retired = activated + 30 * dayMs;
      const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
      await trx
        .insertInto('signing_keys')
        .values({
          kid: createHash('sha256').update(x).digest('base64url'),
          state: months === 1 ? 'retired' : 'removed',
          alg: 'EdDSA',
          public_x: x,
          private_ciphertext: '',
          master_key_id: '',
          create_time: activated - 3_600_000,
          activate_time: activated,
          retire_time: retired,
          remove_time: retired + 3_610_000,
          revoke_time: null,
          token_seconds_max: 3600,
        })
        .execute();
    }
  });
}
