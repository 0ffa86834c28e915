// Generates signing keys and opens stored ones.
import { generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import type { SigningKeyRow } from '../../storage/schema.ts';
import { type Ed25519, type PrivateKey, type PublicKey, seedOf } from './ed25519.ts';
import { type SealedColumn, sealedSigningKeys } from './sealed-values.ts';

export type PublicJwk = {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'EdDSA';
};

export type NewKey = Pick<
  SigningKeyRow,
  'kid' | 'public_x' | 'private_ciphertext' | 'master_key_id'
>;

export async function generateSigningKey(
  masterKey: MasterKey,
  column: SealedColumn = sealedSigningKeys,
): Promise<NewKey> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  if (x === undefined) throw new Error('the public key has no x');
  const kid = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x }, 'sha256');
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  const private_ciphertext = masterKey.seal(der, column.purpose(kid));
  der.fill(0);
  return {
    kid,
    public_x: x,
    private_ciphertext,
    master_key_id: masterKey.id,
  };
}

export function newKeyRow(key: NewKey, state: 'pending' | 'active', now: number): SigningKeyRow {
  return {
    ...key,
    state,
    create_time: now,
    activate_time: state === 'active' ? now : null,
    retire_time: null,
    remove_time: null,
    revoke_time: null,
    // Each signing process raises this to the maximum lifetime of its tokens.
    token_seconds_max: 0,
  };
}

export type LoadedKey = {
  readonly kid: string;
  /** The JOSE header of this key's tokens in base64url. Every one of them starts with it. */
  readonly header: string;
  readonly publicKey: PublicKey;
  readonly jwk: PublicJwk;
  readonly removeTime: number;
};

export type ActiveKey = LoadedKey & { readonly privateKey: PrivateKey };

export function loadPublicKey(
  { kid, public_x, remove_time }: SigningKeyRow,
  ed25519: Ed25519,
): LoadedKey {
  const jwk = publicJwk(public_x, kid);
  const header = JSON.stringify({ alg: 'EdDSA', typ: 'at+jwt', kid });
  return {
    kid,
    header: Buffer.from(header).toString('base64url'),
    publicKey: ed25519.publicKey(Buffer.from(public_x, 'base64url')),
    jwk,
    removeTime: remove_time ?? Number.POSITIVE_INFINITY,
  };
}

export function isSameKey(a: LoadedKey, b: LoadedKey): boolean {
  return a.header === b.header && a.jwk.x === b.jwk.x && a.removeTime === b.removeTime;
}

export function decryptPrivateKey(
  row: NewKey,
  masterKey: MasterKey,
  ed25519: Ed25519,
  column: SealedColumn = sealedSigningKeys,
): PrivateKey {
  if (!masterKey.opens(row.master_key_id)) {
    throw new Error(
      `the master key ${masterKey.id} of this process cannot decrypt the ${column.name} ` +
        `${row.kid}, which was encrypted with another master key, ${row.master_key_id}; start ` +
        'the service again with that key; check LATCHKEY_MASTER_KEY and LATCHKEY_DATA_DIR',
    );
  }
  const der = masterKey.open(row.private_ciphertext, column.purpose(row.kid));
  try {
    return ed25519.privateKey(seedOf(der));
  } finally {
    der.fill(0);
  }
}

export const publicJwk = (x: string, kid: string): PublicJwk => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x,
  kid,
  use: 'sig',
  alg: 'EdDSA',
});
