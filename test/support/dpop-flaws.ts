// Flaws of DPoP proofs (RFC 9449 §4.3).
import type { JWTPayload } from 'jose';
import { keyPairs } from './client-keys.ts';
import { digestOf, type Holder, makeHolder, signProof } from './dpop.ts';

type Flaw = readonly [
  name: string,
  /** Returns a proof; `valid` are the claims of a valid one. */
  make: (holder: Holder, valid: JWTPayload) => Promise<string> | string,
];

const secret = new TextEncoder().encode('x'.repeat(32));
const now = () => Math.floor(Date.now() / 1000);

/** Of any proof. */
export const proofFlaws: readonly Flaw[] = [
  ['a text', () => 'x'],
  ['no algorithm', (holder, valid) => unsigned(holder, valid)],
  ['an HMAC', ({ jwk }, valid) => signProof(secret, valid, { alg: 'HS256', jwk } as never)],
  [
    'a symmetric jwk',
    (_, valid) => {
      const jwk = { kty: 'oct', k: Buffer.from(secret).toString('base64url') };
      return signProof(secret, valid, { alg: 'HS256', jwk } as never);
    },
  ],
  ['no jwk', (holder, valid) => holder.prove(valid, { jwk: undefined })],
  [
    'a jwk with a private member',
    (_, valid) => {
      const { privateKey } = keyPairs.ES256();
      const jwk = privateKey.export({ format: 'jwk' });
      return signProof(privateKey, valid, { alg: 'ES256', jwk } as never);
    },
  ],
  [
    'the jwk of another key',
    async (holder, valid) => holder.prove(valid, { jwk: (await makeHolder()).jwk }),
  ],
  [
    'a jwk whose members are lists',
    (holder, valid) => holder.prove(valid, { jwk: { ...holder.jwk, kty: ['EC'] } }),
  ],
  ['another typ', (holder, valid) => holder.prove(valid, { typ: 'at+jwt' })],
  ['a critical header', (holder, valid) => holder.prove(valid, { crit: ['b64'], b64: true })],
  ['another method', (holder, valid) => holder.prove({ ...valid, htm: 'PUT' })],
  ['a method in lower case', (holder, valid) => holder.prove({ ...valid, htm: 'post' })],
  ['no method', (holder, valid) => holder.prove({ ...valid, htm: undefined } as never)],
  [
    'another host',
    (holder, valid) => holder.prove({ ...valid, htu: 'https://evil.example/tokens' }),
  ],
  ['another path', (holder, valid) => holder.prove({ ...valid, htu: `${valid.htu}/more` })],
  ['no URL', (holder, valid) => holder.prove({ ...valid, htu: undefined })],
  ['an old iat', (holder, valid) => holder.prove({ ...valid, iat: now() - 61 })],
  ['an iat in the future', (holder, valid) => holder.prove({ ...valid, iat: now() + 90 })],
  ['no iat', (holder, valid) => holder.prove({ ...valid, iat: undefined } as never)],
  ['no jti', (holder, valid) => holder.prove({ ...valid, jti: undefined } as never)],
  ['a giant jti', (holder, valid) => holder.prove({ ...valid, jti: 'x'.repeat(257) })],
];

/** Of a proof that comes with a token. */
export const tokenProofFlaws: readonly Flaw[] = [
  ['another ath', (holder, valid) => holder.prove({ ...valid, ath: digestOf('other') })],
  ['no ath', (holder, valid) => holder.prove({ ...valid, ath: undefined })],
  ['the proof of another key', async (_, valid) => (await makeHolder()).prove(valid)],
];

function unsigned({ jwk }: Holder, valid: JWTPayload): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = encode({ typ: 'dpop+jwt', alg: 'none', jwk });
  return `${header}.${encode({ jti: 'a', iat: now(), htm: 'POST', ...valid })}.`;
}
