// Verifies logout tokens of identity providers (OpenID Connect Back-Channel Logout 1.0 §2.6).
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { readClaimText } from '../../base/crypto/claim-text.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { EgressError, type EgressFetch } from '../../base/net/egress-fetch.ts';
import type { Executor } from '../../storage/schema/schema.ts';
import { decodeStrictJwt } from './assertion.ts';
import type { UseOnce } from './single-use.ts';

export type LogoutTokenIssuer = {
  readonly issuer: string;
  readonly jwksUri: string;
  readonly clientId: string;
};

export type Logout = {
  /** At least one of them is set. */
  readonly subject: string | undefined;
  readonly sid: string | undefined;
  /**
   * Uses the token up if the transaction commits: providers send it again after an error. Throws
   * `invalid_argument` if it was used before.
   */
  settle(trx: Executor): Promise<void>;
};

/** Throws `invalid_argument`, or `unavailable` if the keys cannot be read. */
export type VerifyLogoutToken = (token: string, issuer: LogoutTokenIssuer) => Promise<Logout>;

export type LogoutTokenOptions = {
  readonly egressFetch: EgressFetch;
  readonly useOnce: UseOnce;
  readonly now: Clock;
};

/** Only signatures with public keys: anyone could make a token with the others. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

const event = 'http://schemas.openid.net/event/backchannel-logout';

/** How old a token may be, in seconds. */
const ageMax = 300;
const toleranceSeconds = 30;
const tokenMax = 16_384;

export function createLogoutTokenVerifier(options: LogoutTokenOptions): VerifyLogoutToken {
  const { egressFetch, useOnce, now } = options;
  const keySets = new LRUCache<string, JWTVerifyGetKey>({ max: 10 });

  function keysAt(uri: string): JWTVerifyGetKey {
    const known = keySets.get(uri);
    if (known !== undefined) return known;
    const keys = createRemoteJWKSet(new URL(uri), {
      cooldownDuration: 30_000,
      [customFetch]: (url, { method, headers }) =>
        egressFetch(url, { method, headers: Object.fromEntries(headers) }),
    });
    keySets.set(uri, keys);
    return keys;
  }

  async function verify(token: string, issuer: LogoutTokenIssuer): Promise<JWTPayload> {
    if (token === '') throw invalid('logout_token', 'is required');
    if (token.length > tokenMax) throw invalid('logout_token', 'is too long');
    const decoded = decodeStrictJwt(token);
    if (typeof decoded === 'string') throw refuse(`it ${decoded}`);
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keysAt(issuer.jwksUri), {
        algorithms,
        issuer: issuer.issuer,
        audience: issuer.clientId,
        maxTokenAge: ageMax,
        clockTolerance: toleranceSeconds,
        currentDate: new Date(now()),
        requiredClaims: ['iat', 'jti', 'events'],
      });
      const { typ = 'JWT' } = protectedHeader;
      if (!/^(JWT|(application\/)?logout\+jwt)$/i.test(typ)) throw refuse(`typ is ${typ}`);
      return payload;
    } catch (error) {
      if (error instanceof EgressError || error instanceof errors.JWKSTimeout) {
        const cause = error;
        throw fail('unavailable', 'The keys of the identity provider are not available.', {
          cause,
        });
      }
      if (error instanceof errors.JOSEError) throw refuse(error);
      throw error;
    }
  }

  return async (token, issuer) => {
    const { sub, sid, jti = '', nonce, events, iat = 0 } = await verify(token, issuer);
    // An ID token has a nonce, so it cannot be used as a logout token.
    if (nonce !== undefined) throw refuse('it has a nonce');
    const members = isObject(events) ? Object.entries(events) : [];
    if (!members.some(([name, value]) => name === event && isObject(value)))
      throw refuse('it has no logout event');
    const named = { subject: readClaimText(sub), sid: readClaimText(sid) };
    if (named.subject === undefined && named.sid === undefined) {
      throw refuse('it has neither sub nor sid');
    }
    const parts = ['logout token', issuer.issuer, jti];
    const expireTime = (iat + ageMax + toleranceSeconds) * 1000;
    return {
      ...named,
      async settle(trx) {
        if (!(await useOnce(parts, expireTime, trx))) throw refuse('it was used before');
      },
    };
  };
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The answer does not reveal the reason, which the log has. */
const refuse = (reason: unknown) =>
  fail('invalid_argument', 'logout_token: is not valid', {
    fields: [{ field: 'logout_token', detail: 'is not valid' }],
    cause: reason instanceof Error ? reason : new Error(String(reason)),
  });
