// Checks the file of an SQLite database before the first change, because a wrong path can name
// another file.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';

/** https://www.sqlite.org/fileformat.html#magic_header_string */
const header = Buffer.from('SQLite format 3\0');

/** Throws unless the file is a database, is empty, or does not exist in an existing folder. */
export function requireSqliteFile(file: string): void {
  const reason = file === ':memory:' ? undefined : findFault(file);
  if (reason !== undefined) throw openErrorOf(file, reason);
}

export function openErrorOf(file: string, reason: string, cause?: unknown): Error {
  const message = `cannot open the database ${file}: ${reason}; check LATCHKEY_DATABASE_URL`;
  return new Error(message, { cause });
}

function findFault(file: string): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) {
      const folder = statSync(path.dirname(file), { throwIfNoEntry: false });
      return folder === undefined ? 'its folder does not exist' : undefined;
    }
    if (!stats.isFile()) return 'it is not a file';
    return stats.size === 0 || hasHeader(file) ? undefined : 'file is not a database';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function hasHeader(file: string): boolean {
  const start = Buffer.alloc(header.length);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, start, 0, start.length, 0);
  } finally {
    closeSync(handle);
  }
  return start.equals(header);
}
