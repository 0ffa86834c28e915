import { sealedRows } from '../../storage/queries/sealed-rows.ts';
import type { SealedColumn } from '../keys/sealed-values.ts';

export const secretPurpose = (providerId: string) => `client secret at ${providerId}`;

export const sealedProviderSecrets: SealedColumn = {
  name: 'client secret at the identity provider',
  purpose: secretPurpose,
  ...sealedRows('identity_providers', 'id', 'secret_ciphertext'),
};
