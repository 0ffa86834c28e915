// The signing keys in memory: imported once, never per signature.

import type { Clock } from '../../clock.ts';
import type { MasterKey } from '../../crypto/master-key.ts';
import { transact } from '../../storage/database.ts';
import type { Invalidations } from '../../storage/invalidation.ts';
import type { Database, SigningKeyRow } from '../../storage/schema.ts';
import type { KeyFacts } from './lifecycle.ts';
import {
  type ActiveKey,
  type LoadedKey,
  loadPublic,
  openPrivate,
  type PublicJwk,
} from './signing-key.ts';
import { findPublishedKeys, lockSigningKeys, raiseTokenSeconds } from './store.ts';

export type { ActiveKey } from './signing-key.ts';

export type Keyring = {
  /**
   * The key that signs; undefined if there is none. Throws `unavailable` if the database could not
   * be read for 5 seconds.
   */
  active(): Promise<ActiveKey | undefined>;
  /** The key whose tokens start with this header. Throws as `active` does. */
  byHeader(header: string): Promise<LoadedKey | undefined>;
  /** The published keys, newest first. */
  published(): readonly PublicJwk[];
  /** What the published keys were when they were last loaded: time may have removed one since. */
  facts(): readonly KeyFacts[];
};

export type KeyringOptions = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly invalidations: Invalidations;
  /** The longest life of a token that this process signs. */
  readonly tokenSecondsMax: number;
  readonly now: Clock;
};

export async function openKeyring(options: KeyringOptions): Promise<Keyring> {
  const { invalidations, now } = options;
  let keys: LoadedKeys = { facts: [], all: [], byHeader: new Map(), active: undefined };
  invalidations.onInvalidation('signing_keys', async () => {
    keys = await load(options);
  });
  // By way of the listener, so that no change comes between the first look and those that follow.
  await invalidations.invalidate('signing_keys');
  async function ensureFresh(): Promise<void> {
    const refresh = invalidations.ensureFresh();
    if (refresh !== undefined) await refresh;
  }
  return {
    async active() {
      await ensureFresh();
      return keys.active;
    },
    async byHeader(header) {
      await ensureFresh();
      const key = keys.byHeader.get(header);
      return key !== undefined && now() < key.removeTime ? key : undefined;
    },
    published() {
      const time = now();
      const published = keys.all.filter(({ removeTime }) => time < removeTime);
      return published.map(({ jwk }) => jwk);
    },
    facts: () => keys.facts,
  };
}

type LoadedKeys = {
  readonly facts: readonly KeyFacts[];
  readonly all: readonly LoadedKey[];
  readonly byHeader: ReadonlyMap<string, LoadedKey>;
  readonly active: ActiveKey | undefined;
};

async function load(options: KeyringOptions): Promise<LoadedKeys> {
  const rows = await findPublishedKeys(options.db);
  const activeRow = rows.find(({ state }) => state === 'active');
  if (activeRow !== undefined && (await noteTokenSeconds(options, activeRow))) {
    return load(options);
  }
  const all = rows.map(loadPublic);
  const activePublic = all.find(({ kid }) => kid === activeRow?.kid);
  return {
    facts: rows,
    all,
    byHeader: new Map(all.map((key) => [key.header, key])),
    active:
      activeRow === undefined || activePublic === undefined
        ? undefined
        : { ...activePublic, privateKey: openPrivate(activeRow, options.masterKey) },
  };
}

/**
 * A process signs with a key only after it has noted the longest life of its tokens: whoever
 * retires the key keeps it published for so long. Tells whether the key has to be read again.
 */
async function noteTokenSeconds(
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
