// The kinds of identity resources that a search finds.

import { clientSecretSearch, customerKeySearch } from '../credentials/store.ts';
import type { SearchKind } from '../search/search-kind.ts';
import { accountSearch } from './accounts/store.ts';
import { audienceSearch } from './audiences/store.ts';
import { clientKeySearch, clientSearch, federatedIdentitySearch } from './clients/store.ts';
import { customerSearch } from './customers/store.ts';
import { signingKeySearch } from './keys/store.ts';
import { passkeySearch } from './passkeys/store.ts';
import { providerSearch, userIdentitySearch } from './providers/store.ts';
import { sessionSearch } from './sessions/store.ts';
import { issuerSearch } from './trusted-issuers/store.ts';
import { userSearch } from './users/store.ts';

export const identitySearchKinds: readonly SearchKind[] = [
  { kind: 'client', ...clientSearch },
  { kind: 'customer', ...customerSearch },
  { kind: 'user', ...userSearch },
  { kind: 'account', ...accountSearch },
  { kind: 'audience', ...audienceSearch },
  { kind: 'trusted_issuer', ...issuerSearch },
  { kind: 'identity_provider', ...providerSearch },
  { kind: 'signing_key', ...signingKeySearch },
  { kind: 'client_secret', ...clientSecretSearch },
  { kind: 'client_key', ...clientKeySearch },
  { kind: 'federated_identity', ...federatedIdentitySearch },
  { kind: 'customer_key', ...customerKeySearch },
  { kind: 'passkey', ...passkeySearch },
  { kind: 'user_identity', ...userIdentitySearch },
  { kind: 'session', ...sessionSearch },
];
