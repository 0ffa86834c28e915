// Recognizes a folder of another program, so that a wrong path does not make it a blob store.
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { ignoreErrorCodes } from './store-failure.ts';

/** The file system creates these folders. */
const ofVolumes = new Set(['lost+found', '.snapshot']);

/** Returns whether a folder is not empty, and none of its entries belongs to a blob store. */
export async function isForeignFolder(root: string): Promise<boolean> {
  const list = await readdir(root, { withFileTypes: true }).catch(ignoreErrorCodes('ENOENT'));
  const entries = (list ?? []).filter(({ name }) => !ofVolumes.has(name));
  for (const entry of entries) if (await isOfStore(root, entry)) return false;
  return entries.length > 0;
}

async function isOfStore(root: string, entry: Dirent): Promise<boolean> {
  const { name } = entry;
  // A process that was killed while it wrote the marker leaves `marker.<uuid>`.
  if (entry.isFile()) return /^marker(\.[0-9a-f-]{36})?$/.test(name);
  if (!entry.isDirectory()) return false;
  // The folders of release 0.1.
  if (name === 'pending' || name === 'leases') return true;
  if (!/^[0-9A-Za-z]{2}$/.test(name)) return false;
  const blobs = await readdir(path.join(root, name));
  return blobs.every((id) => id.startsWith(name));
}
