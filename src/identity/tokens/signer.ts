// Signs tokens: JWTs with EdDSA (RFC 8037 §3.1, RFC 9068 §2).

import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors/errors.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { Claims } from './claims.ts';

type OwnClaims = Omit<Claims, 'iss' | 'aud' | 'iat' | 'exp' | 'jti'>;

export type SignedToken = {
  readonly token: string;
  readonly lifetimeSeconds: number;
};

export type Signer = {
  /** Expires after `lifetimeSeconds`, or at `notAfter` (seconds since 1970) if earlier. */
  sign(claims: OwnClaims, lifetimeSeconds: number, notAfter?: number): Promise<SignedToken>;
};

export type SignerOptions = {
  readonly keyring: Keyring;
  readonly issuer: string;
  readonly audience: string;
  readonly now: Clock;
};

export function createSigner({ keyring, issuer, audience, now }: SignerOptions): Signer {
  const constants = JSON.stringify({ iss: issuer, aud: audience }).slice(1, -1);
  return {
    async sign(claims, lifetimeSeconds, notAfter = Number.POSITIVE_INFINITY) {
      const key = await keyring.active();
      if (key === undefined) {
        throw fail('unavailable', 'No signing key is available.', { retryAfterSeconds: 1 });
      }
      const iat = Math.floor(now() / 1000);
      const exp = Math.min(iat + lifetimeSeconds, notAfter);
      const times = `"iat":${iat},"exp":${exp},"jti":"${randomUUID()}"`;
      const payload = `{${constants},${JSON.stringify(claims).slice(1, -1)},${times}}`;
      const input = `${key.header}.${Buffer.from(payload).toString('base64url')}`;
      const signature = await key.privateKey.sign(Buffer.from(input, 'latin1'));
      const token = `${input}.${signature.toString('base64url')}`;
      return { token, lifetimeSeconds: exp - iat };
    },
  };
}
