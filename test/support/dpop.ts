// DPoP proofs as clients make them (RFC 9449 §4.2).
import { createHash, type KeyObject, randomUUID } from 'node:crypto';
import {
  calculateJwkThumbprint,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose';
import type { App } from '../../src/boot/app.ts';
import { keyPairs } from './client-keys.ts';
import { callForm } from './json-calls.ts';

export type Holder = {
  readonly jkt: string;
  readonly jwk: JWK;
  /** Signs a proof with changed claims and header. Undefined removes a member. */
  prove(claims: JWTPayload, header?: object): Promise<string>;
};

export type HolderAlg = 'EdDSA' | 'ES256' | 'PS256' | 'RS256';

export async function makeHolder(alg: HolderAlg = 'ES256'): Promise<Holder> {
  const { publicKey, privateKey } = keyPairs[alg]();
  const jwk = publicKey.export({ format: 'jwk' }) as JWK;
  return {
    jwk,
    jkt: await calculateJwkThumbprint(jwk),
    prove: (claims, header = {}) => signProof(privateKey, claims, { alg, jwk, ...header }),
  };
}

/** Signs a proof with any key and header. */
export function signProof(
  key: KeyObject | Uint8Array,
  claims: JWTPayload,
  header: JWTHeaderParameters,
): Promise<string> {
  const iat = Math.floor(Date.now() / 1000);
  const payload = { jti: randomUUID(), iat, htm: 'POST', ...claims };
  return new SignJWT(payload).setProtectedHeader({ typ: 'dpop+jwt', ...header }).sign(key);
}

export const digestOf = (token: string) => createHash('sha256').update(token).digest('base64url');

/** Returns a nonce of the service. */
export async function fetchNonce(app: Pick<App, 'publicUrl'>, form: Record<string, string>) {
  const dpop = await (await makeHolder()).prove({ htu: `${app.publicUrl}/tokens` });
  const { body, headers } = await callForm(app, '/tokens', form, { dpop });
  if (body.error !== 'use_dpop_nonce') throw new Error(JSON.stringify(body));
  return headers.get('dpop-nonce') ?? '';
}

/** Requests a token that is bound to the key of the holder. */
export async function requestBoundToken(
  app: Pick<App, 'publicUrl'>,
  holder: Holder,
  form: Record<string, string>,
): Promise<string> {
  const nonce = await fetchNonce(app, form);
  const dpop = await holder.prove({ htu: `${app.publicUrl}/tokens`, nonce });
  return String((await callForm(app, '/tokens', form, { dpop })).body.access_token);
}
