// Finds and reads the YAML files of a folder. The folder may be that of an unknown person, such as
// a pull request: only regular files in it are read, and only up to a limit.
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { CommandError } from '../base/command.ts';
import { unreadable } from '../base/files.ts';
import { cleanText } from '../base/text.ts';

const filesMax = 1_000;
const fileBytesMax = 16 * 1024 * 1024;
/** The YAML library needs a few microseconds and 150 bytes for each comment. */
const fileLinesMax = 500_000;

/** The paths of the files in the folder, in their order. */
export async function listYamlFiles(folder: string): Promise<string[]> {
  const options = { recursive: true, withFileTypes: true } as const;
  const entries = await readdir(folder, options).catch((error: unknown) => {
    throw unreadable(folder, error);
  });
  const files: string[] = [];
  for (const entry of entries) {
    const file = path.join(path.relative(folder, entry.parentPath), entry.name);
    // Without the resources of such a folder, --prune would remove them.
    if (entry.isSymbolicLink() && (await isFolder(path.join(folder, file)))) {
      const text = 'is a symbolic link to a folder, which is not supported';
      throw new CommandError(`${shownName(file)} ${text}.`);
    }
    if (/\.ya?ml$/.test(file) && !entry.isDirectory()) files.push(file);
  }
  if (files.length === 0) throw new CommandError(`${folder} contains no YAML files.`);
  if (files.length > filesMax) throw new CommandError(`${folder} has more than ${filesMax} files.`);
  return files.sort();
}

const isFolder = (file: string) =>
  stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** The name on one line. CI systems run a line that begins with `::` as a command. */
export const shownName = (file: string) => cleanText(file).replace(/^(?=[\s:])/, './');

export async function readYamlFile(folder: string, file: string): Promise<string> {
  const name = shownName(path.join(folder, file));
  try {
    const target = await realpath(path.join(folder, file));
    if (!isInside(await realpath(folder), target)) {
      throw new CommandError(`${name} is a symbolic link to a file outside of the folder.`);
    }
    if (!(await stat(target)).isFile()) throw new CommandError(`${name} is not a regular file.`);
    // Opening must not wait for the writer of a pipe.
    const handle = await open(target, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return await readText(handle, name);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw error instanceof CommandError ? error : unreadable(name, error);
  }
}

function isInside(folder: string, file: string): boolean {
  const relative = path.relative(folder, file);
  return relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative);
}

/** Counts the bytes, because the size of a file can be wrong. */
async function readText(handle: FileHandle, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  let lines = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false })) {
    size += chunk.length;
    if (size > fileBytesMax) throw new CommandError(`${name} is too large.`);
    lines += countLines(chunk);
    if (lines > fileLinesMax) {
      throw new CommandError(`${name} has more than ${fileLinesMax.toLocaleString('en')} lines.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}
