// The checks of all assertions of clients (RFC 7523 §3), whether a client or an issuer signed them.
import {
  compactVerify,
  decodeJwt,
  decodeProtectedHeader,
  type JWTPayload,
  type ProtectedHeaderParameters,
} from 'jose';
import { hasRepeatedName } from '../../api/json-members.ts';
import { isId } from '../../base/crypto/ids.ts';
import { type Failure, fail } from '../../base/errors/errors.ts';
import type { ClientPublicKey } from './client-jwk.ts';

export type Assertion = {
  readonly text: string;
  readonly header: { readonly alg?: string; readonly kid?: string };
  readonly payload: JWTPayload;
};

type DecodedJwt = {
  readonly text: string;
  readonly header: ProtectedHeaderParameters;
  readonly payload: JWTPayload;
};

/**
 * The answer does not reveal the reason, which the log and the audit log have. `clientId` is that
 * of the claimed client. An id that the service did not generate is recorded only with `isKnown`.
 */
export function refuseAssertion(reason: string, clientId = '', isKnown = false): Failure {
  return fail('identity.credential_invalid', 'The assertion is not valid.', {
    target: isKnown || isId('cli', clientId) ? clientId : '',
    reason,
    cause: new Error(reason),
  });
}

/** The clock of a signer may be ahead by this many seconds. Expiry has no tolerance. */
export const aheadSecondsMax = 30;

/** Reads an assertion. Its signature is not verified. */
export function decodeAssertion(text: string): Assertion {
  const decoded = decodeStrictJwt(text);
  if (typeof decoded === 'string') throw refuseAssertion(`The assertion ${decoded}.`);
  return decoded;
}

/** Returns the parts of a JWT, or its problem. The signature is not verified. */
export function decodeStrictJwt(text: string): DecodedJwt | string {
  let header: ProtectedHeaderParameters;
  let payload: JWTPayload;
  try {
    header = decodeProtectedHeader(text);
    payload = decodeJwt(text);
  } catch {
    return 'is not a JWT';
  }
  const [head = '', body = ''] = text.split('.');
  if (repeatsName(head, header) || repeatsName(body, payload)) return 'has a member twice';
  if (header.crit !== undefined || header.b64 !== undefined) return 'has a critical header';
  if (!hasTextMembers(header, payload)) return 'has a member of a wrong type';
  return { text, header, payload };
}

const isText = (value: unknown) => value === undefined || typeof value === 'string';

/** The types of jose promise strings (RFC 7519 §4.1), but a signer can write any JSON. */
function hasTextMembers({ alg, kid, typ }: ProtectedHeaderParameters, payload: JWTPayload) {
  const { iss, sub, jti, aud } = payload;
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return [alg, kid, typ, iss, sub, jti, ...audiences].every(isText);
}

/** Another parser would read the other member (RFC 8725 §2.4). */
const repeatsName = (encoded: string, value: object) =>
  hasRepeatedName(Buffer.from(encoded, 'base64url').toString('utf8'), value as never);

/** Returns why an assertion is not valid at `now`, in seconds since 1970; undefined if it is. */
export function findTimeProblem(
  { exp, iat, nbf }: JWTPayload,
  secondsMax: number,
  now: number,
): string | undefined {
  if (!Number.isFinite(exp) || exp === undefined || exp <= now) {
    return 'The assertion has expired or has no exp.';
  }
  if (exp > now + secondsMax) return `The assertion lives longer than ${secondsMax} seconds.`;
  for (const start of [iat, nbf]) {
    if (start !== undefined && !(typeof start === 'number' && start <= now + aheadSecondsMax)) {
      return 'The assertion is not valid yet.';
    }
  }
  return undefined;
}

/** Returns the keys that may have signed an assertion. The header never brings a key. */
export function selectKeys<Key extends ClientPublicKey>(
  { header: { alg, kid } }: Assertion,
  keys: readonly Key[],
): readonly Key[] {
  return keys.filter(
    ({ algorithms, names }) =>
      algorithms.some((name) => name === alg) && (kid === undefined || names.includes(kid)),
  );
}

/** Returns the key that signed an assertion; undefined if none of them did. */
export async function findSigner<Key extends ClientPublicKey>(
  { text }: Pick<Assertion, 'text'>,
  keys: readonly Key[],
): Promise<Key | undefined> {
  for (const candidate of keys) {
    const { key, algorithms } = candidate;
    const isSigned = await compactVerify(text, key, { algorithms: [...algorithms] }).then(
      () => true,
      () => false,
    );
    if (isSigned) return candidate;
  }
  return undefined;
}
