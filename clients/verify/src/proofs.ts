// Checks that the caller has the key to which a token is bound: by a DPoP proof (RFC 9449 §4.3) or
// by the certificate of its connection (RFC 8705 §3).
import { createHash } from 'node:crypto';
import {
  calculateJwkThumbprint,
  decodeProtectedHeader,
  EmbeddedJWK,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import type { TokenClaims } from './claims.ts';

/** How the caller of your service presented its token. */
export type PresentedToken = {
  /** The value of the `Authorization` header. */
  readonly authorization: string | null | undefined;
  /** The value of the `DPoP` header. */
  readonly dpop?: string | null | undefined;
  /** The HTTP method, such as `GET`. */
  readonly method?: string | undefined;
  /** The whole URL as the caller knows it. Its query is ignored. */
  readonly url?: string | undefined;
  /** The SHA-256 digest of the caller's certificate in DER form, in base64url. */
  readonly certificateSha256?: string | undefined;
};

/**
 * Returns whether a proof is new. If a service has several processes, they need a common store.
 * Remember the proof until `expireTime`, in milliseconds since 1970.
 */
export type UseOnce = (id: string, expireTime: number) => boolean | Promise<boolean>;

const algorithms = ['EdDSA', 'ES256', 'RS256', 'PS256'];
const ageSecondsMax = 60;
const aheadSecondsMax = 30;
const proofLengthMax = 8_192;
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** Remembers the proofs of one process. */
export function createProofMemory(now: () => number): UseOnce {
  const used = new Map<string, number>();
  let sizeMax = 1_024;
  return (id, expireTime) => {
    if (used.has(id)) return false;
    used.set(id, expireTime);
    if (used.size >= sizeMax) {
      for (const [one, time] of used) if (time < now()) used.delete(one);
      sizeMax = Math.max(1_024, 2 * used.size);
    }
    return true;
  };
}

/** Returns why the caller may not use the token, or undefined. */
export async function findKeyProblem(
  { cnf }: TokenClaims,
  token: string,
  presented: PresentedToken,
  { useOnce, now }: { readonly useOnce: UseOnce; readonly now: () => number },
): Promise<string | undefined> {
  const isDpop = /^DPoP /i.test(presented.authorization ?? '');
  if (cnf === undefined) return isDpop ? 'The token is not bound to a key.' : undefined;
  if (cnf.jkt === undefined) {
    const isSame = !isDpop && cnf['x5t#S256'] === presented.certificateSha256;
    return isSame ? undefined : 'The token is bound to another certificate.';
  }
  const { dpop, method, url } = presented;
  if (!isDpop || !dpop || !method || !url) return 'The token needs a DPoP proof.';
  if (dpop.length > proofLengthMax) return 'The DPoP proof is too long.';
  const { jwk = {} } = decodeProtectedHeader(dpop);
  if (secretMembers.some((name) => Object.hasOwn(jwk, name)))
    return 'The proof contains a private key.';
  const { payload } = await jwtVerify(dpop, EmbeddedJWK, {
    ...{ algorithms, typ: 'dpop+jwt' },
    currentDate: new Date(now()),
  });
  if ((await calculateJwkThumbprint(jwk)) !== cnf.jkt) return 'The proof is from another key.';
  const problem = findProblem(payload, { token, method, url, now: now() / 1000 });
  if (problem !== undefined) return problem;
  const expireTime = ((payload.iat ?? 0) + ageSecondsMax) * 1000;
  const isNew = await useOnce(`${cnf.jkt} ${payload.jti}`, expireTime);
  return isNew ? undefined : 'The proof was used before.';
}

type Expected = {
  readonly token: string;
  readonly method: string;
  readonly url: string;
  readonly now: number;
};

function findProblem(payload: JWTPayload, expected: Expected): string | undefined {
  const { htm, htu, iat, jti, ath } = payload;
  if (htm !== expected.method) return 'The proof is for another method.';
  const address = addressOf(expected.url);
  if (address === undefined || addressOf(htu) !== address) return 'The proof is for another URL.';
  const { now } = expected;
  if (iat === undefined || !(iat > now - ageSecondsMax && iat < now + aheadSecondsMax)) {
    return 'The proof is not current.';
  }
  if (typeof jti !== 'string' || jti === '' || jti.length > 256)
    return 'The proof has no valid jti.';
  const digest = createHash('sha256').update(expected.token).digest('base64url');
  return ath === digest ? undefined : 'The proof is for another token.';
}

function addressOf(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
