// `migrate`: brings the schema of the database to the latest version.
import { type Config, readConfig } from '../config/config.ts';
import {
  databaseFile,
  describeLostDatabase,
  findInstallationRemains,
  isMissingOrEmpty,
  prepareFolders,
} from '../installation/data-folder.ts';
import { migrateDatabase } from '../storage/database.ts';
import { type Command, CommandError, requireNoArguments } from './command.ts';

export const migrateCommand: Command = {
  usage: '',
  about: 'brings the schema of the database to the latest version',
  details: `A start does the same, unless LATCHKEY_MIGRATE=off. Processes of this release and of the
previous one may run meanwhile. It applies all missing migrations or none, and prints one line for
each.

Exit status: 0 the schema is up to date, 1 failed, 2 wrong arguments or settings.`,
  async run(words, { env, stdout }) {
    requireNoArguments(words);
    const config = readConfig(env);
    try {
      const { applied, unknown } = await migrateInstallation(config);
      for (const name of applied) stdout.write(`applied ${name}\n`);
      const state =
        unknown.length === 0
          ? 'the schema is up to date'
          : `the schema is newer than this version (${unknown.join(', ')}), which it supports`;
      stdout.write(`${state}\n`);
      return 0;
    } catch (error) {
      throw new CommandError('The database was not migrated', error);
    }
  },
};

async function migrateInstallation(config: Config) {
  const file = databaseFile(config.databaseUrl);
  if (file !== undefined && (await isMissingOrEmpty(file))) {
    const remains = await findInstallationRemains(config);
    if (remains.isRefused) throw new Error(describeLostDatabase(config, remains));
    await prepareFolders(config);
  }
  return migrateDatabase(config.databaseUrl, config);
}
