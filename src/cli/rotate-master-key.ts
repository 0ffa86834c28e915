// `latchkey rotate-master-key`: encrypts all encrypted values again under a new master key. Changes
// all values or none, and can be repeated after an interruption.

import { randomBytes } from 'node:crypto';
import { CommandError, type CommandHost, type Input } from '../../clients/cli/src/base/command.ts';
import { wantsJson, writeJson } from '../../clients/cli/src/base/print.ts';
import { createAuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../base/clock.ts';
import { type Config, readConfig } from '../base/config/config.ts';
import type { Random } from '../base/crypto/ids.ts';
import { createMasterKey, type MasterKey } from '../base/crypto/master-key.ts';
import {
  makeNextMasterKeyFile,
  placeNextMasterKeyFile,
  readExistingMasterKeyFile,
  readMasterKeyFile,
  readNextMasterKeyFile,
} from '../base/crypto/master-key-file.ts';
import {
  type ResealResult,
  requireDecryptable,
  reseal,
  sealedReceiptKeys,
  sealedSigningKeys,
} from '../identity/keys/sealed-values.ts';
import { countSigningKeys, lockSigningKeys } from '../identity/keys/store.ts';
import { sealedProviderSecrets } from '../identity/providers/sealed-secrets.ts';
import { sealedSeeds } from '../identity/users/sealed-seeds.ts';
import { useDatabase } from '../storage/database.ts';
import type { Database } from '../storage/schema/schema.ts';
import { openExistingDatabase } from './existing-database.ts';

export async function runRotateMasterKey(input: Input, host: CommandHost): Promise<number> {
  const config = readConfig(host.env);
  const result = await rotateMasterKey({ config, random: randomBytes, now: Date.now }).catch(
    (error: unknown) => {
      throw new CommandError('The master key was not rotated', error);
    },
  );
  const { masterKeyId, changed, unchanged } = result;
  if (wantsJson(input)) {
    await writeJson(host, { master_key_id: masterKeyId, changed, unchanged });
    return 0;
  }
  host.stdout.write(
    `Values encrypted with the new master key ${masterKeyId}: ${changed}\n` +
      `Values that were already encrypted with it: ${unchanged}\n`,
  );
  if (config.masterKey !== undefined && config.previousMasterKey === undefined) {
    host.stderr.write(
      'Nothing changed. To rotate the master key, set LATCHKEY_MASTER_KEY to a new key and\n' +
        'LATCHKEY_PREVIOUS_MASTER_KEY to the old one.\n',
    );
  }
  return 0;
}

/** All columns that are encrypted under the master key. */
export const sealedColumns = [
  sealedSigningKeys,
  sealedReceiptKeys,
  sealedSeeds,
  sealedProviderSecrets,
];

export type RotateOptions = {
  readonly config: Config;
  readonly random: Random;
  readonly now: Clock;
};

export async function rotateMasterKey(
  options: RotateOptions,
): Promise<ResealResult & { readonly masterKeyId: string }> {
  const { config } = options;
  return useDatabase(await openExistingDatabase(config), async (db) => {
    if ((await countSigningKeys(db)) === 0) throw new Error('the database is empty');
    const { masterKey, finish } = await newMasterKey(db, config);
    const resealed = await resealAll(db, masterKey, options);
    await finish();
    return { ...resealed, masterKeyId: masterKey.id };
  });
}

type NewMasterKey = { readonly masterKey: MasterKey; readonly finish: () => Promise<void> };

/** Only if the existing keys decrypt every value: with a wrong folder, no file changes. */
async function newMasterKey(db: Database, config: Config): Promise<NewMasterKey> {
  const { dataDir, masterKey, previousMasterKey } = config;
  const previous = previousMasterKey === undefined ? [] : [previousMasterKey];
  const nothing = async () => {};
  if (masterKey !== undefined) {
    return { masterKey: createMasterKey(masterKey, previous), finish: nothing };
  }
  const own = await readExistingMasterKeyFile(dataDir);
  const next = await readNextMasterKeyFile(dataDir);
  const [first, ...others] = [own, next, ...previous].filter((key) => key !== undefined);
  if (first === undefined) {
    throw new Error(`${dataDir} contains no master.key; check LATCHKEY_DATA_DIR`);
  }
  await requireDecryptable(db, sealedColumns, createMasterKey(first, others));
  const isReplaced = previous.some((key) => own === undefined || Buffer.compare(key, own) !== 0);
  if (isReplaced && next === undefined) {
    const replacement = await readMasterKeyFile(dataDir);
    return { masterKey: createMasterKey(replacement, previous), finish: nothing };
  }
  return {
    masterKey: createMasterKey(await makeNextMasterKeyFile(dataDir), [first, ...others]),
    finish: () => placeNextMasterKeyFile(dataDir),
  };
}

async function resealAll(
  db: Database,
  masterKey: MasterKey,
  { random, now }: RotateOptions,
): Promise<ResealResult> {
  const auditLog = createAuditLog({ db, random, now });
  // A server that only has the old key detects the changed rows and stops using its cached keys.
  return auditLog.changeBySystem('MasterKey.Rotate', { target: masterKey.id }, async (trx) => {
    await lockSigningKeys(trx);
    return reseal(trx, sealedColumns, masterKey);
  });
}
