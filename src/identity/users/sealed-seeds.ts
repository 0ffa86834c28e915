import { sealedRows } from '../../storage/queries/sealed-rows.ts';
import type { SealedColumn } from '../keys/sealed-values.ts';
import { seedPurpose } from './totp.ts';

export const sealedSeeds: SealedColumn = {
  name: 'TOTP seed',
  purpose: seedPurpose,
  ...sealedRows('totp_seeds', 'user_id', 'ciphertext'),
};
