// `latchkey rotate-master-key`: encrypts anew, under a new master key, all that is encrypted under
// the one before. All of it or nothing, and again where it was cut off.

import { createAuditLog } from '../audit/audit-log.ts';
import type { Config } from '../config/config.ts';
import type { Random } from '../crypto/ids.ts';
import { createMasterKey, type MasterKey } from '../crypto/master-key.ts';
import {
  makeNextMasterKeyFile,
  placeNextMasterKeyFile,
  readMasterKeyFile,
  readNextMasterKeyFile,
} from '../crypto/master-key-file.ts';
import { type Resealed, reseal, sealedSigningKeys } from '../identity/keys/sealed.ts';
import { countSigningKeys, lockSigningKeys } from '../identity/keys/store.ts';
import { sealedSeeds } from '../identity/users/sealed-seeds.ts';
import { watchChanges } from '../storage/invalidation.ts';
import type { Database } from '../storage/schema.ts';
import { openExistingDatabase } from './existing-database.ts';

/** Everything that is encrypted under the master key. */
const sealedColumns = [sealedSigningKeys, sealedSeeds];

export type RotateOptions = {
  readonly config: Config;
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export async function rotateMasterKey(
  options: RotateOptions,
): Promise<Resealed & { readonly masterKeyId: string }> {
  const { config } = options;
  const db = await openExistingDatabase(config.databaseUrl);
  try {
    if ((await countSigningKeys(db)) === 0) throw new Error('the database is empty');
    const { masterKey, finish } = await newMasterKey(config);
    const resealed = await resealAll(db, masterKey, options);
    await finish();
    return { ...resealed, masterKeyId: masterKey.id };
  } finally {
    await db.destroy();
  }
}

/** Seals under the new key, and opens what is sealed under those before it. */
type NewMasterKey = { readonly masterKey: MasterKey; readonly finish: () => Promise<void> };

async function newMasterKey(config: Config): Promise<NewMasterKey> {
  const { dataDir, masterKey, previousMasterKey } = config;
  const previous = previousMasterKey === undefined ? [] : [previousMasterKey];
  const nothing = async () => {};
  if (masterKey !== undefined) {
    return { masterKey: createMasterKey(masterKey, previous), finish: nothing };
  }
  const own = await readMasterKeyFile(dataDir);
  const isOther = previous.some((key) => Buffer.compare(key, own) !== 0);
  if (isOther && (await readNextMasterKeyFile(dataDir)) === undefined) {
    return { masterKey: createMasterKey(own, previous), finish: nothing };
  }
  const next = await makeNextMasterKeyFile(dataDir);
  return {
    masterKey: createMasterKey(next, [own, ...previous]),
    finish: () => placeNextMasterKeyFile(dataDir),
  };
}

async function resealAll(
  db: Database,
  masterKey: MasterKey,
  { random, now }: RotateOptions,
): Promise<Resealed> {
  const changes = await watchChanges(db);
  try {
    const auditLog = createAuditLog({ db, changes, random, now });
    // A server that has the old key alone hears of it, and stops to trust what it has.
    const change = { target: masterKey.id, topic: 'signing_keys' } as const;
    return await auditLog.changeBySystem('MasterKey.Rotate', change, async (trx) => {
      await lockSigningKeys(trx);
      return reseal(trx, sealedColumns, masterKey);
    });
  } finally {
    await changes.stop();
  }
}
