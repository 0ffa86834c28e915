import type { SealedColumn } from '../keys/sealed-values.ts';
import { findSealedSeeds, updateSealedSeed } from './store.ts';
import { seedPurpose } from './totp.ts';

export const sealedSeeds: SealedColumn = {
  name: 'TOTP seed',
  purpose: seedPurpose,
  read: findSealedSeeds,
  write: updateSealedSeed,
};
