import type { SealedColumn } from '../keys/sealed-values.ts';
import { findSealedSecrets, updateSealedSecret } from './store.ts';

export const secretPurpose = (providerId: string) => `client secret at ${providerId}`;

export const sealedProviderSecrets: SealedColumn = {
  name: 'client secret at the identity provider',
  purpose: secretPurpose,
  read: findSealedSecrets,
  write: updateSealedSecret,
};
