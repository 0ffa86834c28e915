// Stores blobs as files `<root>/<first two characters>/<id>`. The file `<root>/marker` shows that
// the root is the store, and not the empty folder where its volume should be mounted.
import { access, type FileHandle, mkdir, open, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../../files/durable-files.ts';
import { errorCodeOf } from '../../files/error-code.ts';
import { type Damage, DamagedBlob } from '../../storage/damaged-blob.ts';
import type { BlobPart, BlobStore } from './blob-store.ts';
import { blobStoreFailureOf, ignoreErrorCodes, isDiskFullError } from './store-failure.ts';
import { watchSource } from './watch-source.ts';

const chunkBytes = 256 * 1024;

/** The paths of a store. */
function layoutOf(root: string) {
  const folderOf = (id: string) => path.join(root, id.slice(0, 2));
  return {
    root,
    marker: path.join(root, 'marker'),
    folderOf,
    fileOf: (id: string) => path.join(folderOf(id), id),
  };
}

type Layout = ReturnType<typeof layoutOf>;

/** Opens an existing store for reading only. */
export function readDiskBlobs(root: string): Pick<BlobStore, 'read'> {
  const layout = layoutOf(root);
  return { read: (id, part) => readPart(layout, id, part) };
}

/** Opens a store in a folder. Creates the folder if it is missing. */
export async function openDiskBlobs(root: string): Promise<BlobStore> {
  const layout = layoutOf(root);
  const { marker, folderOf, fileOf } = layout;
  await mkdir(root, { recursive: true, mode: 0o700 });
  const requireRoot = rootChecker(layout);
  // If the disk is read-only or full, the service can still read documents.
  await requireRoot().catch((error: unknown) => {
    if (!isDiskFullError(error) && errorCodeOf(error) !== 'EROFS') throw error;
  });
  const makeFolder = folderMaker(root, requireRoot);

  async function writeNew(id: string, source: AsyncIterable<Uint8Array>): Promise<void> {
    const folder = folderOf(id);
    await makeFolder(folder);
    try {
      const handle = await open(fileOf(id), 'wx', 0o600);
      try {
        await writeFile(handle, source);
        // In parallel, because the file system combines syncs.
        await Promise.all([handle.sync(), syncFolder(folder)]);
      } finally {
        await handle.close();
      }
    } catch (error) {
      makeFolder.forget(folder);
      throw error;
    }
  }

  return {
    async write(id, source) {
      const watched = watchSource(source);
      try {
        await writeNew(id, watched.source);
      } catch (error) {
        throw watched.hasFailed() ? error : blobStoreFailureOf(error);
      }
    },

    read: (id, part) => readPart(layout, id, part),

    async remove(id) {
      try {
        await requireRoot();
        await rm(fileOf(id), { force: true });
        await syncFolder(folderOf(id)).catch(ignoreErrorCodes('ENOENT'));
      } catch (error) {
        throw blobStoreFailureOf(error);
      }
    },

    async check() {
      try {
        await requireRoot();
        // Changes the time of an empty file. That works on a full disk, too.
        await truncate(marker);
      } catch (error) {
        throw blobStoreFailureOf(error);
      }
    },

    close: async () => {},
  };
}

/**
 * Returns a function that throws if the marker is missing. Its first successful call creates the
 * marker.
 */
function rootChecker({ root, marker }: Layout): () => Promise<void> {
  let isMarked = false;
  return async () => {
    if (isMarked) return access(marker);
    await writeFile(marker, '', { flag: 'a', mode: 0o600 });
    await syncFolder(root);
    isMarked = true;
  };
}

/** Errors of a single file, such as one on a defective sector, while the store works. */
const damages: ReadonlyMap<string, Damage> = new Map([
  ['ENOENT', 'missing'],
  ['EACCES', 'unreadable'],
  ['EIO', 'unreadable'],
  ['EISDIR', 'unreadable'],
  ['ELOOP', 'unreadable'],
  ['EPERM', 'unreadable'],
]);

async function* readPart(
  { marker, fileOf }: Layout,
  id: string,
  { offset, length, sizeBytes }: BlobPart,
): AsyncGenerator<Uint8Array> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(fileOf(id), 'r');
    if ((await handle.stat()).size !== sizeBytes) throw new DamagedBlob(id, 'size');
    for (let read = 0; read < length; ) {
      const chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytes, length - read));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, offset + read);
      if (bytesRead === 0) throw new DamagedBlob(id, 'size');
      read += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  } catch (error) {
    const damage = damages.get(errorCodeOf(error));
    if (damage === undefined) throw blobStoreFailureOf(error);
    // If the marker is missing, so is the store: the volume may not be mounted.
    await access(marker).catch((away: unknown) => {
      throw blobStoreFailureOf(away);
    });
    throw new DamagedBlob(id, damage, { cause: error });
  } finally {
    await handle?.close();
  }
}

/** Creates each folder once and syncs it. Concurrent callers wait for the same result. */
function folderMaker(root: string, requireRoot: () => Promise<void>) {
  const folders = new Map<string, Promise<void>>();

  async function make(folder: string): Promise<void> {
    // If the volume is not mounted, the store must not be created in its place.
    await requireRoot();
    await mkdir(folder, { mode: 0o700 }).catch(ignoreErrorCodes('EEXIST'));
    await syncFolder(root);
  }

  return Object.assign(
    (folder: string): Promise<void> => {
      const made = folders.get(folder) ?? make(folder);
      folders.set(folder, made);
      made.catch(() => folders.delete(folder));
      return made;
    },
    { forget: (folder: string) => void folders.delete(folder) },
  );
}
