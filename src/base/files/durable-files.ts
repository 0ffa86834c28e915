// Writes files that exist in full or not at all.
import { randomUUID } from 'node:crypto';
import {
  access,
  link,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';

/** Makes changes in a folder (created, linked or renamed files) survive a crash. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Only its owner can read the file. Returns whether it wrote it. */
export async function writeFileOnce(file: string, text: string): Promise<boolean> {
  return withTemporary(file, text, async (temporary) => {
    try {
      await link(temporary, file);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
      throw error;
    }
  });
}

export async function replaceFile(file: string, text: string): Promise<void> {
  await withTemporary(file, text, (temporary) => rename(temporary, file));
}

/** Only its owner can read the file. Throws if it exists. Needs no hard links. */
export async function writeNewFile(file: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  await requireMissing(file);
  await withTemporary(file, chunks, async (temporary) => {
    await requireMissing(file);
    await rename(temporary, file);
  });
}

async function requireMissing(file: string): Promise<void> {
  const isFound = await access(file).then(
    () => true,
    () => false,
  );
  if (isFound) throw new Error(`${file} already exists`);
}

async function withTemporary<T>(
  file: string,
  content: string | AsyncIterable<Uint8Array>,
  place: (temporary: string) => Promise<T>,
): Promise<T> {
  const temporary = `${file}.${randomUUID()}`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await writeFile(handle, content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const placed = await place(temporary);
    await syncFolder(path.dirname(file));
    return placed;
  } finally {
    await rm(temporary, { force: true });
  }
}

const temporaryPattern = /^(.+)\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Files newer than `unusedMs` stay: another process may be writing them. */
export async function removeTemporaries(
  folder: string,
  isOurs: (name: string) => boolean,
  unusedMs = 60_000,
): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, target] = temporaryPattern.exec(name) ?? [];
    if (target === undefined || !isOurs(target)) continue;
    const file = path.join(folder, name);
    const { mtimeMs } = await stat(file);
    if (mtimeMs < Date.now() - unusedMs) await rm(file, { force: true });
  }
}

export async function readFileIfAny(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
