/** What a client's secret and the API keys of customers and of workspaces have in common. */
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { CredentialState } from '../../../../gen/latchkey/identity/v1/credential_pb.js';

export type Credential = {
  readonly id: string;
  /** May be empty. */
  readonly name: string;
  /** Absent for a client's secret: it may do what its client may. */
  readonly scopes?: readonly string[];
  readonly state: CredentialState;
  readonly createTime?: Timestamp | undefined;
  readonly expireTime?: Timestamp | undefined;
  readonly revokeTime?: Timestamp | undefined;
  readonly lastUsedTime?: Timestamp | undefined;
};

/** Where a token that we refuse is still good; `life` says for how long such tokens live. */
export const offlineVerificationNote = (life = '') =>
  'Services that check tokens by the published keys alone accept those that are out until they ' +
  `expire${life === '' ? '' : `, ${life}`}.`;

/** Of a customer's tokens. */
export const customerTokenLifetime = 'which is within a minute';

/** What to call it in a sentence. */
export const credentialName = ({ id, name }: Credential) => (name === '' ? id : `“${name}”`);
