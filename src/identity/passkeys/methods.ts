import type { PasskeyRow } from '../../storage/schema/schema.ts';

/** The authentication methods of a passkey (RFC 8176 §2), which has verified its user. */
export const methodsOfPasskey = ({ synced }: Pick<PasskeyRow, 'synced'>) =>
  `${synced === 1 ? 'swk' : 'hwk'} user mfa`;
