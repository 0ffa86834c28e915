// Keeps folders and files readable only by their owner, for any umask.
import { chmod, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCodeOf } from './error-code.ts';

export type ExposedPath = { readonly path: string; readonly message: string };

const folderMode = 0o700;
const fileMode = 0o600;
const others = 0o077;
const worldWritable = 0o002;
const sticky = 0o1000;

/**
 * Creates a missing folder. Removes the access of other users to the folder if this user owns it,
 * unless `keepMode` is set. Throws if every user may still write to the folder.
 */
export async function makePrivateFolder(
  folder: string,
  { keepMode = false } = {},
): Promise<ExposedPath | undefined> {
  await makeFolders(folder);
  const { mode, uid } = await stat(folder);
  // All users share a folder such as /tmp. Removing their access would break other programs.
  const isShared = (mode & sticky) !== 0;
  if (isOurs(uid) && !isShared && !keepMode) return close(folder, folderMode);
  if ((mode & worldWritable) !== 0) {
    throw new Error(
      `every user may write to ${folder} (${modeText(mode)}); ${closeAdvice(folder)}`,
    );
  }
  if ((mode & others) === 0) return undefined;
  return { path: folder, message: `other users can open it: ${closeAdvice(folder)}` };
}

/** The option `recursive` of Node never returns below /proc. */
export async function makeFolders(folder: string, isRepeated = false): Promise<void> {
  try {
    await mkdir(folder, { mode: folderMode });
  } catch (error) {
    if ((await statIfAny(folder).catch(() => undefined))?.isDirectory() === true) return;
    const parent = path.dirname(folder);
    const code = errorCodeOf(error);
    if (code === 'EEXIST' || code === 'ENOTDIR') throw new Error(`${folder} is not a folder`);
    if (code !== 'ENOENT' || parent === folder || isRepeated) throw error;
    await makeFolders(parent);
    await makeFolders(folder, true);
  }
}

export async function makePrivateFile(file: string): Promise<ExposedPath | undefined> {
  const stats = await statIfAny(file);
  if (stats === undefined || (stats.mode & others) === 0) return undefined;
  if (isOurs(stats.uid)) return close(file, fileMode);
  return { path: file, message: `other users can open it: run chmod 600 ${file} as its owner` };
}

export async function findExposedPath(file: string): Promise<ExposedPath | undefined> {
  const stats = await statIfAny(file);
  if (stats === undefined || (stats.mode & others) === 0) return undefined;
  const advice = stats.isDirectory() ? closeAdvice(file) : `run chmod 600 ${file}`;
  return {
    path: file,
    message: `other users can open this path (${modeText(stats.mode)}): ${advice}`,
  };
}

async function close(file: string, mode: number): Promise<ExposedPath | undefined> {
  const before = (await stat(file)).mode & 0o777;
  if (before === mode) return undefined;
  try {
    await chmod(file, mode);
  } catch (error) {
    // On a disk that is mounted read-only, the mode cannot be changed.
    const reason = error instanceof Error ? error.message : error;
    return { path: file, message: `cannot change its mode ${modeText(before)}: ${reason}` };
  }
  if ((before & others) === 0) return undefined;
  return {
    path: file,
    message: `other users could open this path: changed ${modeText(before)} to private`,
  };
}

/** Undefined if the file does not exist. */
export async function statIfAny(file: string) {
  try {
    return await stat(file);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const isOurs = (uid: number) => process.getuid?.() === uid;

const modeText = (mode: number) => (mode & 0o7777).toString(8).padStart(4, '0');

const closeAdvice = (folder: string) =>
  `give the service a folder that it owns, or run chmod 700 ${folder}`;
