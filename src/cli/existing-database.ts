// Opens the database for commands that must neither create nor fill one.
import { access } from 'node:fs/promises';
import type { Config } from '../base/config/config.ts';
import { databaseFile } from '../boot/installation/data-folder.ts';
import { type DatabaseSettings, openDatabase } from '../storage/database.ts';
import { inspectDatabase } from '../storage/inspection.ts';
import type { Database } from '../storage/schema/schema.ts';

/** Throws if the file is missing or the database empty. Close it with `destroy()`. */
export async function openExistingDatabase(
  config: Pick<Config, 'databaseUrl'> & DatabaseSettings,
): Promise<Database> {
  const { databaseUrl: url } = config;
  const file = databaseFile(url);
  // SQLite would create the missing file.
  if (file !== undefined) {
    await access(file).catch((cause: unknown) => {
      throw new Error(`the database ${file} does not exist or cannot be read`, { cause });
    });
  }
  const { isNew } = await inspectDatabase(url, config);
  if (isNew) throw new Error('the database is empty');
  return openDatabase(url, config);
}
