// Bounds the files of a conversion together: the kernel bounds the size of each one only.
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCodeOf } from '../../../base/files/error-code.ts';

export type FolderSize = {
  /** Includes folders. */
  readonly files: number;
  /** The space on the disk. */
  readonly bytes: number;
};

const unlimited: FolderSize = { files: Infinity, bytes: Infinity };
const blockBytes = 512;
const pauseMs = 250;

/**
 * Measures everything within a folder, and stops at the limit. A folder that cannot be read counts
 * as larger than any limit, because it may contain anything.
 */
export async function measureFolder(folder: string, limit = unlimited): Promise<FolderSize> {
  let [files, bytes] = [0, 0];
  const folders = [folder];
  try {
    for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
      for (const entry of await readdir(next, { withFileTypes: true }).catch(ignoreMissing)) {
        const name = path.join(next, entry.name);
        const [facts] = await lstat(name).then((found) => [found], ignoreMissing);
        files++;
        bytes += (facts?.blocks ?? 0) * blockBytes;
        if (files > limit.files || bytes > limit.bytes) return { files, bytes };
        if (entry.isDirectory()) folders.push(name);
      }
    }
    return { files, bytes };
  } catch {
    return unlimited;
  }
}

/** Temporary files disappear at any time. */
function ignoreMissing(error: unknown): [] {
  if (errorCodeOf(error) === 'ENOENT') return [];
  throw error;
}

/** Resolves to true once the folder is larger than the limit; to false if the signal is aborted. */
export async function waitUntilLarger(
  folder: string,
  limit: FolderSize,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    const startedAt = performance.now();
    const { files, bytes } = await measureFolder(folder, limit);
    if (signal.aborted) return false;
    if (files > limit.files || bytes > limit.bytes) return true;
    // A large folder takes long to measure.
    const ms = Math.max(pauseMs, 10 * (performance.now() - startedAt));
    await sleep(ms, undefined, { signal }).catch(() => {});
  }
}
