/** The common fields of client secrets, customer API keys and workspace API keys. */
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { CredentialState } from '../../../../gen/latchkey/identity/v1/credential_pb.js';

export type Credential = {
  readonly id: string;
  /** May be empty. */
  readonly name: string;
  /** Absent for a client secret, which has the scopes of its client. */
  readonly scopes?: readonly string[];
  readonly creator: string;
  readonly creatorName: string;
  readonly state: CredentialState;
  readonly createTime?: Timestamp | undefined;
  readonly expireTime?: Timestamp | undefined;
  readonly revokeTime?: Timestamp | undefined;
  readonly lastUsedTime?: Timestamp | undefined;
  /** Only of a client secret. */
  readonly importPending?: boolean;
};

/** `lifetime`: how long such tokens are valid at most. */
export const offlineVerificationNote = (lifetime = '') =>
  'Services that verify tokens offline accept existing tokens until they expire' +
  `${lifetime === '' ? '' : ` (${lifetime})`}.`;

export const customerTokenLifetime = 'within a minute';

/** The quoted name, or the ID if the name is empty. */
export const credentialName = ({ id, name }: Credential) => (name === '' ? id : `“${name}”`);
