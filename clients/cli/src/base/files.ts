// Reads and writes the files of commands. A file exists in full or not at all.
import { randomUUID } from 'node:crypto';
import { access, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { CommandError } from './command.ts';

/** Explains why a file cannot be read. `place`: the file, after the variable that names it. */
export function unreadable(place: string, error: unknown): CommandError {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return isMissing
    ? new CommandError(`${place}: there is no such file.`, undefined, 'missing')
    : new CommandError(`${place} cannot be read`, error, 'missing');
}

/** Reads a file that the user names. */
export const readInput = (file: string): Promise<Buffer> =>
  readFile(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });

/** Writes a file that only its owner can read. Replaces an existing file. */
export async function replaceFile(
  file: string,
  content: string | AsyncIterable<Uint8Array>,
): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  try {
    await writeFile(temporary, content, { flag: 'wx', mode: 0o600 });
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Writes a new file that only its owner can read. Throws if the file exists. */
export async function writeNewFile(file: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const isFound = await access(file).then(
    () => true,
    () => false,
  );
  if (isFound) throw new Error(`${file} already exists`);
  await replaceFile(file, chunks);
}
