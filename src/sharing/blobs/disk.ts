// Stores blobs as files `<root>/<first two characters>/<id>`. The marker is the file
// `<root>/marker`.
import type { Dirent } from 'node:fs';
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { type Damage, DamagedBlob } from '../../base/files/damaged-blob.ts';
import { readFileIfAny, replaceFile, syncFolder } from '../../base/files/durable-files.ts';
import { errorCodeOf } from '../../base/files/error-code.ts';
import { makeFolders } from '../../base/files/private-files.ts';
import { createReadHandles, type ReadHandle } from '../../base/files/read-handles.ts';
import { type ChunkBuffers, createChunkBuffers } from '../../base/limits/chunk-buffers.ts';
import {
  type BlobPart,
  blobStoreFailureOf,
  ignoreErrorCodes,
  type MarkedStore,
  mapErrors,
  mapWriteErrors,
  requireBlobId,
} from './blob-store.ts';

const mapped = mapErrors(blobStoreFailureOf);

/** A write begins when this many bytes or chunks have arrived. */
const writtenBytes = 256 * 1024;
const writtenChunks = 64;

function layoutOf(root: string) {
  const folderOf = (id: string) => path.join(root, requireBlobId(id).slice(0, 2));
  return {
    root,
    marker: path.join(root, 'marker'),
    folderOf,
    fileOf: (id: string) => path.join(folderOf(id), id),
  };
}

/** Opens a store in a folder, which may be missing. Creates nothing. */
export function openDiskBlobs(root: string, buffers = createChunkBuffers()): MarkedStore {
  const handles = createReadHandles();
  const layout = layoutOf(root);
  const { marker, folderOf, fileOf } = layout;
  const makeFolder = folderMaker(root);
  const readMarker = markerReader(marker);

  async function writeNew(id: string, source: AsyncIterable<Uint8Array>): Promise<void> {
    const folder = folderOf(id);
    await makeFolder(folder);
    try {
      const handle = await open(fileOf(id), 'wx', 0o600);
      try {
        await writeChunks(handle, source);
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
    write: mapWriteErrors(blobStoreFailureOf, writeNew),

    read: (id, part) => readPart(handles.of(fileOf(id)), buffers, id, part),

    remove: mapped(async (id: string) => {
      await rm(fileOf(id), { force: true });
      handles.forget(fileOf(id));
      await syncFolder(folderOf(id)).catch(ignoreErrorCodes('ENOENT'));
    }),

    // This works on a full disk, too.
    check: mapped(async () => {
      const now = new Date();
      await utimes(marker, now, now);
    }),

    close: async () => {},

    place: root,
    remedy: `check that its volume is mounted at ${root}, and LATCHKEY_BLOB_URL`,
    // A volume can be unmounted at any time.
    idValidMs: 0,
    isForeign: mapped(() => isForeignFolder(root)),
    readId: mapped(readMarker),
    writeId: mapped(async (id: string) => {
      await makeFolders(root);
      await replaceFile(marker, `${id}\n`);
    }),
  };
}

/** The codes of errors that concern a single file, such as a defective sector. */
const damages: ReadonlyMap<string, Damage> = new Map([
  ['ENOENT', 'missing'],
  ['EACCES', 'unreadable'],
  ['EIO', 'unreadable'],
  ['EISDIR', 'unreadable'],
  ['ELOOP', 'unreadable'],
  ['EPERM', 'unreadable'],
]);

/** The first chunk, and those for slow readers, so that a reader who stalls holds little. */
const smallChunkBytes = 64 * 1024;
const chunkBytes = 256 * 1024;
const slowMs = 500;

async function* readPart(
  file: ReadHandle,
  buffers: ChunkBuffers,
  id: string,
  { offset, length, sizeBytes }: BlobPart,
): AsyncGenerator<Uint8Array> {
  let chunkBytesMax = smallChunkBytes;
  try {
    let read = 0;
    do {
      const { handle, sizeBytes: found } = await file.use();
      if (found !== sizeBytes) throw new DamagedBlob(id, 'size');
      if (length === 0) {
        file.release();
        return;
      }
      const wanted = Math.min(length - read, chunkBytesMax);
      const chunk = buffers.take(wanted);
      const { bytesRead } = await handle.read(chunk, 0, wanted, offset + read);
      if (bytesRead === 0) throw new DamagedBlob(id, 'size');
      read += bytesRead;
      file.release();
      const yieldedAt = performance.now();
      yield chunk.subarray(0, bytesRead);
      chunkBytesMax = performance.now() - yieldedAt < slowMs ? chunkBytes : smallChunkBytes;
    } while (read < length);
  } catch (error) {
    const damage = damages.get(errorCodeOf(error));
    if (damage === undefined) throw blobStoreFailureOf(error);
    throw new DamagedBlob(id, damage, { cause: error });
  } finally {
    file.end();
  }
}

/**
 * Writes several chunks with one call, and receives the next ones at the same time. Keeps at most
 * twice `writtenBytes` in memory, and one more chunk.
 */
async function writeChunks(handle: FileHandle, source: AsyncIterable<Uint8Array>): Promise<void> {
  let writing = Promise.resolve();
  let chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    size += chunk.length;
    if (size < writtenBytes && chunks.length < writtenChunks) continue;
    await writing;
    writing = writeTogether(handle, chunks, size);
    // The next write, or the end, handles the error.
    writing.catch(() => {});
    chunks = [];
    size = 0;
  }
  await writing;
  if (size > 0) await writeTogether(handle, chunks, size);
}

async function writeTogether(
  handle: FileHandle,
  chunks: readonly Uint8Array[],
  size: number,
): Promise<void> {
  const { bytesWritten } = await handle.writev(chunks);
  // On a full disk, the second attempt reports the error.
  if (bytesWritten < size) await writeFile(handle, Buffer.concat(chunks).subarray(bytesWritten));
}

/** Reads the marker again only if its file has changed, so that an upload costs one call. */
function markerReader(marker: string): () => Promise<string> {
  let known = { version: '', text: '' };
  return async () => {
    const stats = await stat(marker).catch(ignoreErrorCodes('ENOENT'));
    if (stats === undefined) return '';
    // Another volume has another device. A replaced file has another inode.
    const version = [stats.dev, stats.ino, stats.size, stats.ctimeMs].join(' ');
    if (known.version !== version) {
      known = { version, text: ((await readFileIfAny(marker)) ?? '').trim() };
    }
    return known.text;
  };
}

/** Creates each folder once and syncs it. Concurrent callers wait for the same result. */
function folderMaker(root: string) {
  const folders = new Map<string, Promise<void>>();

  async function make(folder: string): Promise<void> {
    // Not recursive: if the volume is not mounted, the root must not be created in its place.
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

/** The file system creates these folders. */
const ofVolumes = new Set(['lost+found', '.snapshot']);

/**
 * Returns whether a folder is not empty, and none of its entries belongs to a blob store. A wrong
 * path must not make the folder of another program a blob store.
 */
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
