// Assertions that a client signs with its own key (`private_key_jwt`, RFC 7523 §2.2).
import { canSign, type SigningKey, signJwt } from './jwt.ts';
import { requireOption } from './options.ts';

const members = ['kty', 'crv', 'x', 'y', 'd', 'n', 'e', 'p', 'q', 'dp', 'dq', 'qi'] as const;

/** A private JWK (RFC 7517). An RSA key signs with `RS256`, unless its `alg` is `PS256`. */
export type PrivateJwk = {
  readonly [Name in (typeof members)[number] | 'alg']?: string | undefined;
};

/**
 * The private key of a client: a CryptoKey that can sign, or a JWK. Ed25519, ECDSA with P-256, or
 * RSA with SHA-256. A CryptoKey need not be extractable.
 */
export type ClientPrivateKey = SigningKey | PrivateJwk;

/** Returns an assertion. Called for each request for a token, because it counts once. */
export type MakeAssertion = () => Promise<string>;

const accepted =
  'must be a private CryptoKey that can sign, or a private JWK, for Ed25519, ECDSA with P-256, ' +
  'or RSA with SHA-256.';

/** The server accepts 300 seconds. Shorter, so that the clock may be 120 to 180 seconds wrong. */
const lifetimeSeconds = 120;

type Signer = { readonly clientId: string; readonly privateKey: ClientPrivateKey };

/** Throws a TypeError if the key cannot work. `audience` is the public URL of the server. */
export function createAssertions(
  { clientId, privateKey }: Signer,
  audience: string,
): MakeAssertion {
  const open = keyOpenerOf(privateKey);
  requireOption(open !== undefined, 'credentials.privateKey', privateKey, accepted);
  let opened: Promise<SigningKey> | undefined;
  return async () => {
    opened ??= open();
    const exp = Math.floor(Date.now() / 1000) + lifetimeSeconds;
    const claims = { iss: clientId, sub: clientId, aud: audience, exp, jti: crypto.randomUUID() };
    return signJwt(await opened, {}, claims);
  };
}

/** Returns undefined for a key that cannot sign, or that the server does not accept. */
export function keyOpenerOf(key: ClientPrivateKey): (() => Promise<SigningKey>) | undefined {
  if (typeof key !== 'object' || key === null) return undefined;
  if ('algorithm' in key) return canSign(key) ? async () => key : undefined;
  const params = importParamsOf(key);
  if (key.d === undefined || params === undefined) return undefined;
  // Without `use` and `key_ops`, which may be those of the public key.
  const entries = members.map((name) => [name, key[name]] as const);
  const jwk = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  return () => crypto.subtle.importKey('jwk', jwk, params, false, ['sign']);
}

function importParamsOf({ kty, crv, alg }: PrivateJwk) {
  if (kty === 'OKP' && crv === 'Ed25519') return { name: 'Ed25519' };
  if (kty === 'EC' && crv === 'P-256') return { name: 'ECDSA', namedCurve: 'P-256' };
  if (kty !== 'RSA') return undefined;
  return { name: alg === 'PS256' ? 'RSA-PSS' : 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
}
