// Generates signing keys and opens stored ones.
import { generateKeyPairSync } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { calculateJwkThumbprint } from 'jose';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import type { SigningAlgorithm, SigningKeyRow } from '../../storage/schema/schema.ts';
import {
  generatePoolKey,
  type KeyMembers,
  openPoolPrivateKey,
  openPoolPublicKey,
} from './algorithms.ts';
import { type Ed25519, type PrivateKey, type PublicKey, seedOf } from './ed25519.ts';
import { type SealedColumn, sealedSigningKeys } from './sealed-values.ts';

export type PublicJwk = KeyMembers & {
  readonly kty: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: SigningAlgorithm;
};

/** A key of EdDSA, as the tables of all purposes store it. */
export type SealedKey = Pick<
  SigningKeyRow,
  'kid' | 'public_x' | 'private_ciphertext' | 'master_key_id'
>;

export type NewKey = SealedKey & Pick<SigningKeyRow, 'alg' | 'public_jwk'>;

export async function generateSigningKey(
  masterKey: MasterKey,
  alg: SigningAlgorithm = 'EdDSA',
): Promise<NewKey> {
  if (alg === 'EdDSA') {
    return { ...(await generateEd25519Key(masterKey, sealedSigningKeys)), alg, public_jwk: null };
  }
  const { members, pkcs8 } = await generatePoolKey(alg);
  const sealed = await seal(members, pkcs8, masterKey, sealedSigningKeys);
  return { ...sealed, alg, public_x: '', public_jwk: JSON.stringify(members) };
}

export async function generateEd25519Key(
  masterKey: MasterKey,
  column: SealedColumn,
): Promise<SealedKey> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  if (x === undefined) throw new Error('the public key has no x');
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  const sealed = await seal({ kty: 'OKP', crv: 'Ed25519', x }, der, masterKey, column);
  return { ...sealed, public_x: x };
}

/** Erases the private key afterwards. */
async function seal(
  members: KeyMembers,
  pkcs8: Buffer,
  masterKey: MasterKey,
  column: SealedColumn,
): Promise<Omit<SealedKey, 'public_x'>> {
  const kid = await calculateJwkThumbprint(members, 'sha256');
  const private_ciphertext = masterKey.seal(pkcs8, column.purpose(kid));
  pkcs8.fill(0);
  return { kid, private_ciphertext, master_key_id: masterKey.id };
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
  readonly alg: SigningAlgorithm;
  /** The JOSE header of this key's tokens in base64url. Every one of them starts with it. */
  readonly header: string;
  readonly publicKey: PublicKey;
  readonly jwk: PublicJwk;
  readonly removeTime: number;
};

export type ActiveKey = LoadedKey & { readonly privateKey: PrivateKey };

export function loadPublicKey(row: SigningKeyRow, ed25519: Ed25519): LoadedKey {
  const { kid, alg, remove_time } = row;
  const header = JSON.stringify({ alg, typ: 'at+jwt', kid });
  return {
    kid,
    alg,
    header: Buffer.from(header).toString('base64url'),
    ...publicPartsOf(row, ed25519),
    removeTime: remove_time ?? Number.POSITIVE_INFINITY,
  };
}

function publicPartsOf(
  { kid, alg, public_x, public_jwk }: SigningKeyRow,
  ed25519: Ed25519,
): Pick<LoadedKey, 'publicKey' | 'jwk'> {
  if (alg === 'EdDSA') {
    const publicKey = ed25519.publicKey(Buffer.from(public_x, 'base64url'));
    return { publicKey, jwk: ed25519Jwk(public_x, kid) };
  }
  const members = JSON.parse(public_jwk ?? '{}') as KeyMembers & { readonly kty: string };
  return {
    publicKey: openPoolPublicKey(alg, members),
    jwk: { ...members, kid, use: 'sig', alg },
  };
}

export function isSameKey(a: LoadedKey, b: LoadedKey): boolean {
  return a.header === b.header && a.removeTime === b.removeTime && isDeepStrictEqual(a.jwk, b.jwk);
}

export function openSigningKey(
  row: SigningKeyRow,
  masterKey: MasterKey,
  ed25519: Ed25519,
): PrivateKey {
  return row.alg === 'EdDSA'
    ? openEd25519Key(row, masterKey, ed25519, sealedSigningKeys)
    : unseal(row, masterKey, sealedSigningKeys, openPoolPrivateKey);
}

export function openEd25519Key(
  row: SealedKey,
  masterKey: MasterKey,
  ed25519: Ed25519,
  column: SealedColumn,
): PrivateKey {
  return unseal(row, masterKey, column, (pkcs8) => ed25519.privateKey(seedOf(pkcs8)));
}

function unseal(
  row: SealedKey,
  masterKey: MasterKey,
  column: SealedColumn,
  open: (pkcs8: Buffer) => PrivateKey,
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
    return open(der);
  } finally {
    der.fill(0);
  }
}

export const ed25519Jwk = (x: string, kid: string): PublicJwk => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x,
  kid,
  use: 'sig',
  alg: 'EdDSA',
});
