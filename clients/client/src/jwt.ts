// Signs JWTs with keys of the Web Cryptography API.
import { base64Encode } from '@bufbuild/protobuf/wire';

/** A CryptoKey, whose type is not known in all environments. */
export type SigningKey = Parameters<typeof crypto.subtle.sign>[1];

/** By the name of the algorithm, and its curve or hash. */
const algorithms: Readonly<Record<string, { readonly alg: string; readonly params: object }>> = {
  'ECDSA P-256': { alg: 'ES256', params: { name: 'ECDSA', hash: 'SHA-256' } },
  Ed25519: { alg: 'EdDSA', params: { name: 'Ed25519' } },
  'RSASSA-PKCS1-v1_5 SHA-256': { alg: 'RS256', params: { name: 'RSASSA-PKCS1-v1_5' } },
  'RSA-PSS SHA-256': { alg: 'PS256', params: { name: 'RSA-PSS', saltLength: 32 } },
};

function algorithmOf({ algorithm }: SigningKey) {
  const { namedCurve, hash } = algorithm as { namedCurve?: string; hash?: { name: string } };
  return algorithms[[algorithm.name, namedCurve ?? hash?.name ?? ''].join(' ').trim()];
}

/** Returns whether `signJwt` can use the key. */
export const canSign = (key: SigningKey): boolean =>
  key.type === 'private' && key.usages.includes('sign') && algorithmOf(key) !== undefined;

/** Returns a JWT (RFC 7519). Adds the `alg` of the key to the header. */
export async function signJwt(key: SigningKey, header: object, payload: object): Promise<string> {
  const found = algorithmOf(key);
  if (found === undefined) throw new TypeError('The key has an algorithm that is not supported.');
  const text = [{ ...header, alg: found.alg }, payload]
    .map((part) => encodeBytes(encodeText(JSON.stringify(part))))
    .join('.');
  // A parameter of `sign`, as the table lists it.
  const params = found.params as Parameters<typeof crypto.subtle.sign>[0];
  const signature = await crypto.subtle.sign(params, key, encodeText(text));
  return `${text}.${encodeBytes(new Uint8Array(signature))}`;
}

export const encodeText = (text: string) => new TextEncoder().encode(text);

export const encodeBytes = (bytes: Uint8Array) => base64Encode(bytes, 'url');
