// Stores blobs as files `<root>/<first two characters>/<id>`. The note of a blob is a hard link to
// the same bytes, `<root>/pending/<owner>.<id>`. The owner is the id of a process with a lease.
import { randomUUID } from 'node:crypto';
import {
  access,
  type FileHandle,
  link,
  mkdir,
  open,
  rm,
  unlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../../files/durable-files.ts';
import { errorCodeOf } from '../../files/error-code.ts';
import { DamagedBlob } from '../../storage/damaged-blob.ts';
import type { BlobPart, BlobStore, StagedBlob } from './blob-store.ts';
import { openLease } from './lease.ts';
import { blobStoreFailureOf, ignoreErrorCodes, isDiskFullError } from './store-failure.ts';
import { createSweep } from './sweep.ts';

const chunkBytes = 256 * 1024;

/** The folders of a store. */
function layoutOf(root: string) {
  const pending = path.join(root, 'pending');
  const folderOf = (id: string) => path.join(root, id.slice(0, 2));
  return { root, pending, folderOf, fileOf: (id: string) => path.join(folderOf(id), id) };
}

type Layout = ReturnType<typeof layoutOf>;

/** Opens an existing store for reading only. */
export function readDiskBlobs(root: string): Pick<BlobStore, 'read'> {
  const layout = layoutOf(root);
  return { read: (id, part) => readPart(layout, id, part) };
}

/**
 * Opens a store in a folder. Creates the folder if it is missing. The sweep settles the notes of
 * another process if that process has not renewed its lease for `leaseMs`.
 */
export async function openDiskBlobs(root: string, leaseMs: number): Promise<BlobStore> {
  const layout = layoutOf(root);
  const { pending, folderOf, fileOf } = layout;
  await mkdir(pending, { recursive: true, mode: 0o700 });
  const lease = openLease(root, leaseMs);
  // If the disk is read-only or full, the service can still read documents.
  await lease.hold().catch(() => {});

  const noteOf = (id: string) => path.join(pending, `${lease.owner}.${id}`);
  const makeFolder = folderMaker(root);
  const syncNotes = shared(() => syncFolder(pending));
  /** The ids of blobs that a call in progress will settle. */
  const held = new Set<string>();
  const sweep = createSweep({ ...layout, lease, held, leaseMs });

  /** The row is already correct, so a note that cannot be removed is left to the sweep. */
  function staged(id: string): StagedBlob {
    return {
      id,
      async settle() {
        held.delete(id);
        const isSwept = await unlink(noteOf(id)).then(
          () => false,
          (error: unknown) => errorCodeOf(error) === 'ENOENT',
        );
        if (!isSwept) return;
        await access(fileOf(id)).catch((error: unknown) => {
          if (errorCodeOf(error) === 'ENOENT') throw new DamagedBlob(id, 'missing');
        });
      },
      async discard() {
        held.delete(id);
        await removeBoth(fileOf(id), noteOf(id)).catch(() => {});
      },
      leave: () => void held.delete(id),
    };
  }

  async function writeNew(id: string, source: AsyncIterable<Uint8Array>): Promise<void> {
    const folder = folderOf(id);
    const handle = await open(noteOf(id), 'wx', 0o600);
    try {
      await writeFile(handle, source);
      await makeFolder(folder);
      await link(noteOf(id), fileOf(id));
      // In parallel, because the file system combines syncs.
      await Promise.all([handle.sync(), syncNotes(), syncFolder(folder)]);
    } catch (error) {
      makeFolder.forget(folder);
      throw error;
    } finally {
      await handle.close();
    }
  }

  return {
    async write(id, source) {
      const watched = watchSource(source);
      try {
        await lease.hold();
        held.add(id);
        await writeNew(id, watched.source);
        return staged(id);
      } catch (error) {
        await staged(id).discard();
        throw watched.hasFailed() ? error : blobStoreFailureOf(error);
      }
    },

    read: (id, part) => readPart(layout, id, part),

    async unsettle(id) {
      try {
        await access(pending);
        await lease.hold();
        held.add(id);
        // ENOENT: a crash interrupted the same deletion. EEXIST: another call deletes the blob.
        await link(fileOf(id), noteOf(id)).catch(ignoreErrorCodes('ENOENT', 'EEXIST'));
        await syncNotes();
      } catch (error) {
        // Deleting must work on a full disk, without a note. A crash may then leave bytes behind.
        if (!isDiskFullError(error)) {
          await staged(id)
            .settle()
            .catch(() => {});
          throw blobStoreFailureOf(error);
        }
      }
      return staged(id);
    },

    sweep,

    async check() {
      const probe = path.join(pending, `${lease.owner}.probe-${randomUUID()}`);
      await writeFile(probe, '');
      await unlink(probe);
    },

    close: () => lease.close(),
  };
}

/** Removes the bytes first: after a crash, the sweep finds the rest by the note. */
async function removeBoth(file: string, note: string): Promise<void> {
  await rm(file, { force: true });
  await rm(note, { force: true });
}

async function* readPart(
  { pending, fileOf }: Layout,
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
    if (errorCodeOf(error) !== 'ENOENT') throw blobStoreFailureOf(error);
    // If the `pending` folder is missing, so is the store: the volume may not be mounted.
    await access(pending).catch((away: unknown) => {
      throw blobStoreFailureOf(away);
    });
    throw new DamagedBlob(id, 'missing');
  } finally {
    await handle?.close();
  }
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

/** Distinguishes errors of the source from those of the file. */
function watchSource(source: AsyncIterable<Uint8Array>) {
  let failed = false;
  async function* watched(): AsyncGenerator<Uint8Array> {
    try {
      yield* source;
    } catch (error) {
      failed = true;
      throw error;
    }
  }
  return { source: watched(), hasFailed: () => failed };
}

/** Runs `work` one at a time. Calls that arrive before a run begins share that run. */
function shared(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= last.then(() => {
      next = undefined;
      const done = work();
      last = done.catch(() => {});
      return done;
    });
    return next;
  };
}
