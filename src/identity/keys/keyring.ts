// Holds the signing keys in memory, so that they are imported once and not per signature.

import type { Clock } from '../../base/clock.ts';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import { transact } from '../../storage/database.ts';
import { failToUpdate, type Invalidations } from '../../storage/invalidation.ts';
import { createLoader } from '../../storage/loader.ts';
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
import { findPublishedKeys, lockSigningKeys, raiseTokenSeconds } from './store.ts';

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
  const loader = createLoader(async () => {
    const { active, all } = keys;
    keys = await load(options, all);
    active?.privateKey.retire();
  });
  invalidations.onEviction(({ isComplete, list }) => {
    if (isComplete && !list.some(({ entity }) => entity === 'signing_key')) return;
    loader.noteChange();
    // Loads the keys before the next call needs them. If this fails, that call tries again.
    loader.load().catch(() => {});
  });
  await loader.load();

  function ensureCurrent(): Promise<void> | undefined {
    const refresh = invalidations.ensureFresh();
    return refresh === undefined && loader.isCurrent() ? undefined : update(refresh);
  }
  async function update(refresh: Promise<void> | undefined): Promise<void> {
    await refresh;
    if (!loader.isCurrent()) await loader.load().catch(failToUpdate);
  }
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
    async reload() {
      loader.noteChange();
      await loader.load();
    },
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

/** Before it signs: a retired key stays published for that long. True: read the key again. */
async function raiseTokenLifetime(
  { db, tokenSecondsMax }: KeyringOptions,
  { kid, token_seconds_max }: SigningKeyRow,
): Promise<boolean> {
  if (token_seconds_max >= tokenSecondsMax) return false;
  await transact(db, async (trx) => {
    await lockSigningKeys(trx);
    await raiseTokenSeconds(trx, kid, tokenSecondsMax);
  });
  return true;
}
