// Holds the signing keys in memory, so that they are imported once and not per signature.

import type { Clock } from '../../base/clock.ts';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import { transact } from '../../storage/database.ts';
import type { Invalidations } from '../../storage/invalidation.ts';
import { keepLoaded } from '../../storage/loaded-rows.ts';
import type { Database, SigningKeyRow } from '../../storage/schema.ts';
import { within } from '../../storage/within.ts';
import type { Ed25519 } from './ed25519.ts';
import type { KeyFacts } from './lifecycle.ts';
import {
  type ActiveKey,
  decryptPrivateKey,
  isSameKey,
  type LoadedKey,
  loadPublicKey,
  type PublicJwk,
} from './signing-key.ts';
import { findClientTokenSeconds, findPublishedKeys, raiseTokenSeconds } from './store.ts';

export type { ActiveKey } from './signing-key.ts';

export type Keyring = {
  /** Undefined if no key is active. Throws `unavailable` after 5 seconds without the database. */
  active(): Promise<ActiveKey | undefined>;
  /** Returns the key whose tokens start with this header. Throws as `active` does. */
  byHeader(header: string): Promise<LoadedKey | undefined>;
  /** Newest first. The last known keys while the database is unavailable. */
  published(): Promise<readonly PublicJwk[]>;
  /** The removal time of a key may have passed. Throws as `active` does. */
  facts(): Promise<readonly KeyFacts[]>;
  reload(): Promise<void>;
};

export type KeyringOptions = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly ed25519: Ed25519;
  readonly invalidations: Invalidations;
  readonly tokenSecondsMax: number;
  readonly now: Clock;
};

const publishedMsMax = 1_000;

export async function openKeyring(options: KeyringOptions): Promise<Keyring> {
  const { invalidations, now } = options;
  let keys: LoadedKeys = { facts: [], all: [], byHeader: new Map(), active: undefined };
  const loader = await keepLoaded(invalidations, 'signing_key', async () => {
    const { active, all } = keys;
    keys = await load(options, all);
    active?.privateKey.retire();
  });
  const { ensureCurrent } = loader;
  return {
    async active() {
      await ensureCurrent();
      return keys.active;
    },
    async byHeader(header) {
      await ensureCurrent();
      const key = keys.byHeader.get(header);
      return key !== undefined && now() < key.removeTime ? key : undefined;
    },
    async published() {
      if (!loader.isCurrent()) await within(publishedMsMax, loader.load()).catch(() => {});
      const time = now();
      const published = keys.all.filter(({ removeTime }) => time < removeTime);
      return published.map(({ jwk }) => jwk);
    },
    async facts() {
      await ensureCurrent();
      return keys.facts;
    },
    reload: loader.reload,
  };
}

type LoadedKeys = {
  readonly facts: readonly KeyFacts[];
  readonly all: readonly LoadedKey[];
  readonly byHeader: ReadonlyMap<string, LoadedKey>;
  readonly active: ActiveKey | undefined;
};

/** Keeps loaded keys that have not changed, because verified tokens are cached with their key. */
async function load(options: KeyringOptions, before: readonly LoadedKey[]): Promise<LoadedKeys> {
  const rows = await findPublishedKeys(options.db);
  const activeRow = rows.find(({ state }) => state === 'active');
  if (activeRow !== undefined && (await raiseTokenLifetime(options, activeRow))) {
    return load(options, before);
  }
  const all = rows.map((row) => {
    const key = loadPublicKey(row, options.ed25519);
    return before.find((one) => isSameKey(one, key)) ?? key;
  });
  const activePublic = all.find(({ kid }) => kid === activeRow?.kid);
  return {
    facts: rows,
    all,
    byHeader: new Map(all.map((key) => [key.header, key])),
    active:
      activeRow === undefined || activePublic === undefined
        ? undefined
        : { ...activePublic, privateKey: privateKeyOf(activeRow, options) },
  };
}

const privateKeyOf = (row: SigningKeyRow, { masterKey, ed25519 }: KeyringOptions) =>
  decryptPrivateKey(row, masterKey, ed25519);

/**
 * Stores the maximum lifetime of this process's tokens, and of those of clients, with the key. A
 * process must do this before it signs, because a retired key stays published for that long.
 * Returns whether the key has to be read again.
 */
async function raiseTokenLifetime(
  { db, tokenSecondsMax }: KeyringOptions,
  { token_seconds_max }: SigningKeyRow,
): Promise<boolean> {
  const seconds = Math.max(tokenSecondsMax, await findClientTokenSeconds(db));
  if (token_seconds_max >= seconds) return false;
  await transact(db, (trx) => raiseTokenSeconds(trx, seconds));
  return true;
}
