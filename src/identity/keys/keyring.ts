// The signing keys in memory: imported once, never per signature.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import type { Changes } from '../../storage/changes.ts';
import type { Database, Executor, SigningKeyRow } from '../../storage/schema.ts';
import type { MasterKey } from './master-key.ts';
import { findPublishedKeys, insertSigningKey } from './store.ts';

export type PublicJwk = {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'EdDSA';
};

type LoadedKey = {
  readonly kid: string;
  /** The JOSE header of this key's tokens, base64url: every one of them starts with it. */
  readonly header: string;
  readonly publicKey: KeyObject;
  readonly jwk: PublicJwk;
};

export type ActiveKey = LoadedKey & { readonly privateKey: KeyObject };

export type Keyring = {
  /** The key that signs; undefined where there is none. */
  active(): ActiveKey | undefined;
  /** The key whose tokens start with this header. */
  byHeader(header: string): LoadedKey | undefined;
  /** The published keys, newest first. */
  published(): readonly PublicJwk[];
};

export type KeyringOptions = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly changes: Changes;
};

export async function openKeyring({ db, masterKey, changes }: KeyringOptions): Promise<Keyring> {
  let keys = await load(db, masterKey);
  changes.onChange('signing_keys', async () => {
    keys = await load(db, masterKey);
  });
  return {
    active: () => keys.active,
    byHeader: (header) => keys.byHeader.get(header),
    published: () => keys.published,
  };
}

type LoadedKeys = {
  active: ActiveKey | undefined;
  byHeader: ReadonlyMap<string, LoadedKey>;
  published: readonly PublicJwk[];
};

async function load(db: Database, masterKey: MasterKey): Promise<LoadedKeys> {
  const byHeader = new Map<string, LoadedKey>();
  const published: PublicJwk[] = [];
  let active: ActiveKey | undefined;
  for (const row of await findPublishedKeys(db)) {
    const key = loadPublic(row);
    byHeader.set(key.header, key);
    published.push(key.jwk);
    if (row.state === 'active') active = { ...key, privateKey: openPrivate(row, masterKey) };
  }
  return { active, byHeader, published };
}

function loadPublic(row: SigningKeyRow): LoadedKey {
  const jwk = publicJwk(row.public_x, row.kid);
  const header = JSON.stringify({ alg: 'EdDSA', typ: 'at+jwt', kid: row.kid });
  return {
    kid: row.kid,
    header: Buffer.from(header).toString('base64url'),
    publicKey: createPublicKey({ key: jwk, format: 'jwk' }),
    jwk,
  };
}

function openPrivate(row: SigningKeyRow, masterKey: MasterKey): KeyObject {
  if (row.master_key_id !== masterKey.id) {
    throw new Error(`the signing key ${row.kid} was encrypted under another master key`);
  }
  const key = masterKey.open(row.private_ciphertext, sealPurpose(row.kid));
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

const publicJwk = (x: string, kid: string): PublicJwk => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x,
  kid,
  use: 'sig',
  alg: 'EdDSA',
});

const sealPurpose = (kid: string) => `signing key ${kid}`;

/** Makes an Ed25519 key and stores it, its private part encrypted. Returns its `kid`. */
export async function createSigningKey(
  db: Executor,
  masterKey: MasterKey,
  state: 'pending' | 'active',
  now: number,
): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x } = publicKey.export({ format: 'jwk' });
  if (x === undefined) throw new Error('the public key has no x');
  const kid = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x }, 'sha256');
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  await insertSigningKey(db, {
    kid,
    state,
    public_x: x,
    private_ciphertext: masterKey.seal(der, sealPurpose(kid)),
    master_key_id: masterKey.id,
    create_time: now,
    activate_time: state === 'active' ? now : null,
    retire_time: null,
  });
  return kid;
}
