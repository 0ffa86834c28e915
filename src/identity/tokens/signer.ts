// Signs tokens: JWTs (RFC 9068 §2) with the algorithm of their audience.

import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { type Failure, fail } from '../../base/errors/errors.ts';
import type { Audience } from '../audiences/audiences.ts';
import type { Keyring } from '../keys/keyring.ts';
import type { Claims } from './claims.ts';

type OwnClaims = Omit<Claims, 'iss' | 'aud' | 'iat' | 'exp' | 'jti'>;

export type SignedToken = {
  readonly token: string;
  readonly lifetimeSeconds: number;
};

export type Signer = {
  sign(
    claims: OwnClaims,
    lifetimeSeconds: number,
    options?: SignatureOptions,
  ): Promise<SignedToken>;
};

type SignedAudience = Pick<Audience, 'constants' | 'signingAlg'>;

type SignatureOptions = {
  /** By default the audience of this service. */
  readonly audience?: SignedAudience;
  /** The additional claims of the client, as in `TokenSettings`. */
  readonly claims?: string;
  /** The latest `exp`, in seconds since 1970. */
  readonly notAfter?: number | undefined;
};

export type SignerOptions = {
  readonly keyring: Keyring;
  readonly ownAudience: SignedAudience;
  readonly now: Clock;
};

const defaults: SignatureOptions = {};

export function createSigner({ keyring, ownAudience, now }: SignerOptions): Signer {
  return {
    async sign(
      claims,
      lifetimeSeconds,
      { audience = ownAudience, claims: custom = '', notAfter } = defaults,
    ) {
      const { constants, signingAlg } = audience;
      const key = await keyring.active(signingAlg);
      if (key === undefined) throw noKey(keyring.secondsUntilActive(signingAlg));
      const iat = Math.floor(now() / 1000);
      const exp = Math.min(iat + lifetimeSeconds, notAfter ?? Number.POSITIVE_INFINITY);
      const times = `"iat":${iat},"exp":${exp},"jti":"${randomUUID()}"`;
      const own = JSON.stringify(claims).slice(1, -1);
      const payload = `{${constants},${own}${custom},${times}}`;
      const input = `${key.header}.${Buffer.from(payload).toString('base64url')}`;
      const signature = await key.privateKey.sign(Buffer.from(input, 'latin1'));
      const token = `${input}.${signature.toString('base64url')}`;
      return { token, lifetimeSeconds: exp - iat };
    },
  };
}

/** More than a second: the key is the first one of its algorithm. */
function noKey(retryAfterSeconds: number): Failure {
  const detail =
    retryAfterSeconds > 1
      ? `The first signing key of the audience signs in ${retryAfterSeconds} s.`
      : 'No signing key is available.';
  return fail('unavailable', detail, { retryAfterSeconds });
}
