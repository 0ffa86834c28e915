// The checks of the command `doctor`.

import { errorMessageOf } from '../../clients/cli/src/base/command.ts';
import type { Clock } from '../base/clock.ts';
import { type Config, ConfigError, readConfig } from '../base/config/config.ts';
import { checkBackups } from './check-backups.ts';
import { checkDatabase } from './check-database.ts';
import { checkDescriptors, checkDisk, checkFiles, checkMasterKey } from './check-files.ts';
import { checkCredentials, checkSigningKeys } from './check-keys.ts';
import { checkBlobStore, checkMail, checkProxies } from './check-services.ts';
import { checkTls } from './check-tls.ts';
import { type Check, type Finding, ok, problem } from './finding.ts';

export type DoctorOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: Clock;
};

export async function runDoctor({ env, now }: DoctorOptions): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((message) => problem('settings', message));
  }
  const findings = [ok('settings', 'every setting is valid')];
  for (const [name, check] of Object.entries(checks)) {
    const found = await check(config, now()).catch((error: unknown) => [
      problem(name, errorMessageOf(error)),
    ]);
    findings.push(...found);
  }
  return findings;
}

export function formatFinding({ level, check, message }: Finding): string {
  return `${level.padEnd(8)} ${check.padEnd(13)} ${message}\n`;
}

const checks: Readonly<Record<string, Check>> = {
  files: checkFiles,
  'master key': checkMasterKey,
  disk: checkDisk,
  database: checkDatabase,
  blobs: checkBlobStore,
  tls: checkTls,
  proxies: checkProxies,
  mail: checkMail,
  descriptors: checkDescriptors,
  'signing keys': checkSigningKeys,
  credentials: checkCredentials,
  backups: checkBackups,
};
