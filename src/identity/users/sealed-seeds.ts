import type { SealedColumn } from '../keys/sealed.ts';
import { findSealedSeeds, updateSealedSeed } from './store.ts';
import { seedPurpose } from './totp.ts';

/** The seeds of users' second factors, for when the master key is rotated. */
export const sealedSeeds: SealedColumn = {
  name: 'TOTP seed',
  purpose: seedPurpose,
  read: findSealedSeeds,
  write: updateSealedSeed,
};
