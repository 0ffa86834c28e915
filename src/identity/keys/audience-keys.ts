// The signing keys of the algorithms of audiences.
import type { Clock } from '../../base/clock.ts';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import { fail } from '../../base/errors/errors.ts';
import type { Executor, SigningAlgorithm } from '../../storage/schema/schema.ts';
import { findActiveKey, hasSuccession } from './lifecycle.ts';
import { generateSigningKey } from './signing-key.ts';
import { applyKeyStep, keyStepActions } from './state-changes.ts';
import { findPublishedKeys, lockSigningKeys } from './store.ts';

type RecordStep = (action: string, target: string) => void;

export type AudienceKeys = {
  /**
   * Returns the part of a transaction that creates the first key of an algorithm, unless it has
   * one. The key is pending, so that verifiers know it before it signs.
   */
  prepare(alg: SigningAlgorithm): Promise<(trx: Executor, also: RecordStep) => Promise<void>>;
  /** Throws `conflict` if no key of the algorithm can sign. */
  requireActive(trx: Executor, alg: SigningAlgorithm): Promise<void>;
};

export type AudienceKeyOptions = {
  readonly masterKey: MasterKey;
  readonly now: Clock;
};

export function createAudienceKeys({ masterKey, now }: AudienceKeyOptions): AudienceKeys {
  return {
    async prepare(alg) {
      if (alg === 'EdDSA') return async () => {};
      // Generated even if the algorithm has a key, which may be revoked before the transaction.
      const spare = await generateSigningKey(masterKey, alg);
      return async (trx, also) => {
        await lockSigningKeys(trx);
        if (hasSuccession(await findPublishedKeys(trx), alg)) return;
        await applyKeyStep(trx, { kind: 'create', alg }, { spare, now: now() });
        also(keyStepActions.create, spare.kid);
      };
    },

    async requireActive(trx, alg) {
      if (alg === 'EdDSA') return;
      await lockSigningKeys(trx);
      if (findActiveKey(await findPublishedKeys(trx), alg) !== undefined) return;
      throw fail('conflict', `No signing key of ${alg} is active. Create one first.`);
    },
  };
}
