// `migrate`: brings the schema of the database to the latest version.

import { CommandError, type CommandHost, type Input } from '../../clients/cli/src/base/command.ts';
import { wantsJson, writeJson } from '../../clients/cli/src/base/print.ts';
import { type Config, readConfig } from '../base/config/config.ts';
import {
  databaseFile,
  describeLostDatabase,
  findInstallationRemains,
  isMissingOrEmpty,
  prepareFolders,
} from '../boot/installation/data-folder.ts';
import { migrateDatabase } from '../storage/database.ts';

export async function runMigrate(input: Input, host: CommandHost): Promise<number> {
  const config = readConfig(host.env);
  const { applied, unknown } = await migrateInstallation(config).catch((error: unknown) => {
    throw new CommandError('The database was not migrated', error);
  });
  if (wantsJson(input)) {
    await writeJson(host, { applied, unknown });
    return 0;
  }
  for (const name of applied) host.stdout.write(`applied ${name}\n`);
  const state =
    unknown.length === 0
      ? 'the schema is up to date'
      : `the schema is newer than this version (${unknown.join(', ')}), which it supports`;
  host.stdout.write(`${state}\n`);
  return 0;
}

async function migrateInstallation(config: Config) {
  const file = databaseFile(config.databaseUrl);
  if (file !== undefined && (await isMissingOrEmpty(file))) {
    const remains = await findInstallationRemains(config);
    if (remains.isRefused) throw new Error(describeLostDatabase(config, remains));
    await prepareFolders(config);
  }
  return migrateDatabase(config.databaseUrl, config);
}
