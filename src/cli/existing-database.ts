// Opens the database for commands that must neither create nor fill one.
import { access } from 'node:fs/promises';
import { databaseFile } from '../installation/data-folder.ts';
import { openDatabase } from '../storage/database.ts';
import { inspectDatabase } from '../storage/inspection.ts';
import type { Database } from '../storage/schema.ts';

/**
 * Throws if the SQLite file is missing or the database is empty. The caller closes the database
 * with `destroy()`.
 */
export async function openExistingDatabase(url: string): Promise<Database> {
  const file = databaseFile(url);
  // SQLite would create the missing file.
  if (file !== undefined) {
    await access(file).catch((cause: unknown) => {
      throw new Error(`the database ${file} does not exist or cannot be read`, { cause });
    });
  }
  const { isNew } = await inspectDatabase(url);
  if (isNew) throw new Error('the database is empty');
  return openDatabase(url);
}
