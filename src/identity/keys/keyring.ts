// Holds the signing keys in memory, so that they are imported once and not per signature.

import type { Clock } from '../../base/clock.ts';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import { within } from '../../base/limits/within.ts';
import type { Invalidations } from '../../storage/cache/invalidation.ts';
import { keepLoaded } from '../../storage/cache/loaded-rows.ts';
import { transact } from '../../storage/database.ts';
import type { Database, SigningAlgorithm, SigningKeyRow } from '../../storage/schema/schema.ts';
import type { Ed25519 } from './ed25519.ts';
import { type KeyFacts, secondsUntilReady } from './lifecycle.ts';
import {
  type ActiveKey,
  isSameKey,
  type LoadedKey,
  loadPublicKey,
  openSigningKey,
  type PublicJwk,
} from './signing-key.ts';
import { findClientTokenSeconds, findPublishedKeys, raiseTokenSeconds } from './store.ts';

export type { ActiveKey } from './signing-key.ts';

export type Keyring = {
  /**
   * Returns the active key of an algorithm, by default of EdDSA. Throws `unavailable` after 5
   * seconds without the database.
   */
  active(alg?: SigningAlgorithm): Promise<ActiveKey | undefined>;
  /** Returns the seconds until an algorithm without an active key has one, at least 1. */
  secondsUntilActive(alg: SigningAlgorithm): number;
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
  let keys: LoadedKeys = { facts: [], all: [], byHeader: new Map(), active: new Map() };
  const loader = await keepLoaded(invalidations, 'signing_key', async () => {
    const { active, all } = keys;
    keys = await load(options, all);
    for (const { privateKey } of active.values()) privateKey.retire();
  });
  const { ensureCurrent } = loader;
  return {
    async active(alg = 'EdDSA') {
      await ensureCurrent();
      return keys.active.get(alg);
    },
    secondsUntilActive: (alg) => secondsUntilReady(keys.facts, alg, now()),
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
  readonly active: ReadonlyMap<SigningAlgorithm, ActiveKey>;
};

/** Keeps loaded keys that have not changed, because verified tokens are cached with their key. */
async function load(options: KeyringOptions, before: readonly LoadedKey[]): Promise<LoadedKeys> {
  const rows = await findPublishedKeys(options.db);
  const activeRows = rows.filter(({ state }) => state === 'active');
  if (await raiseTokenLifetime(options, activeRows)) return load(options, before);
  const all = rows.map((row) => {
    const key = loadPublicKey(row, options.ed25519);
    return before.find((one) => isSameKey(one, key)) ?? key;
  });
  const active = all.flatMap((key): [SigningAlgorithm, ActiveKey][] => {
    const row = activeRows.find(({ kid }) => kid === key.kid);
    return row === undefined ? [] : [[key.alg, { ...key, privateKey: privateKeyOf(row, options) }]];
  });
  return {
    facts: rows,
    all,
    byHeader: new Map(all.map((key) => [key.header, key])),
    active: new Map(active),
  };
}

const privateKeyOf = (row: SigningKeyRow, { masterKey, ed25519 }: KeyringOptions) =>
  openSigningKey(row, masterKey, ed25519);

/**
 * Stores the maximum lifetime of this process's tokens, and of those of clients, with the active
 * keys. A process must do this before it signs, because a retired key stays published for that
 * long. Returns whether the keys have to be read again.
 */
async function raiseTokenLifetime(
  { db, tokenSecondsMax }: KeyringOptions,
  active: readonly SigningKeyRow[],
): Promise<boolean> {
  const seconds = Math.max(tokenSecondsMax, await findClientTokenSeconds(db));
  if (active.every(({ token_seconds_max }) => token_seconds_max >= seconds)) return false;
  await transact(db, (trx) => raiseTokenSeconds(trx, seconds));
  return true;
}
