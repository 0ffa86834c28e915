// Blobs as files: `<root>/<first two characters>/<id>`, with a note `<root>/pending/<pid>.<id>` (a
// hard link to the same bytes) for each one whose row is not settled.
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  rm,
  unlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { fail } from '../../rpc/errors.ts';
import { syncFolder } from '../../storage/files.ts';
import type { BlobStore, StagedBlob } from './blob-store.ts';

const chunkBytes = 256 * 1024;

/** Opens a store in a folder, which is made if it is missing. */
export async function openDiskBlobs(root: string): Promise<BlobStore> {
  const pending = path.join(root, 'pending');
  await mkdir(pending, { recursive: true, mode: 0o700 });

  const folderOf = (id: string) => path.join(root, id.slice(0, 2));
  const fileOf = (id: string) => path.join(folderOf(id), id);
  const noteOf = (id: string) => path.join(pending, `${process.pid}.${id}`);
  const syncNotes = shared(() => syncFolder(pending));
  const folders = new Map<string, Promise<void>>();

  /** Whoever finds a folder waits, too, until it outlasts a crash: it may be quite new. */
  function makeFolder(folder: string): Promise<void> {
    const made = folders.get(folder) ?? makeDurably(folder);
    folders.set(folder, made);
    made.catch(() => folders.delete(folder));
    return made;
  }

  async function makeDurably(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await syncFolder(root);
  }

  function staged(id: string): StagedBlob {
    return {
      id,
      settle: () => rm(noteOf(id), { force: true }),
      async discard() {
        await rm(fileOf(id), { force: true });
        await rm(noteOf(id), { force: true });
      },
    };
  }

  return {
    async write(id, source) {
      try {
        await makeFolder(folderOf(id));
        await writeWith(noteOf(id), source, async (handle) => {
          await link(noteOf(id), fileOf(id));
          // All at once: the file system has them share what they wait for.
          await Promise.all([handle.sync(), syncNotes(), syncFolder(folderOf(id))]);
        });
        return staged(id);
      } catch (error) {
        await staged(id).discard();
        throw isFull(error)
          ? fail('unavailable', 'There is no room to store the document.', {
              cause: error,
              retryAfterSeconds: 60,
            })
          : error;
      }
    },

    read(id, offset, length) {
      if (length === 0) return (async function* () {})();
      const end = offset + length - 1;
      return createReadStream(fileOf(id), { start: offset, end, highWaterMark: chunkBytes });
    },

    async unsettle(id) {
      // No such file: a crash got this far before. There already: another call is doing the same.
      await link(fileOf(id), noteOf(id)).catch(unlessCode('ENOENT', 'EEXIST'));
      await syncNotes();
      return staged(id);
    },

    async sweep(isNeeded) {
      for (const note of await readdir(pending)) {
        const [pid = '', id = ''] = note.split('.');
        if (isOtherLiveProcess(Number(pid))) continue;
        if (!(await isNeeded(id))) await rm(fileOf(id), { force: true });
        await rm(path.join(pending, note), { force: true });
      }
    },

    async check() {
      const probe = path.join(pending, `${process.pid}.probe-${randomUUID()}`);
      await writeFile(probe, '');
      await unlink(probe);
    },
  };
}

/** Writes a new file, and has `settle` make it last before it is closed. */
async function writeWith(
  file: string,
  source: AsyncIterable<Uint8Array>,
  settle: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await writeFile(handle, source);
    await settle(handle);
  } finally {
    await handle.close();
  }
}

/** Does the work once for all who ask for it before it begins, one after the other. */
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

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const isFull = (error: unknown) => ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(codeOf(error));

/** Rethrows every error but those. */
function unlessCode(...codes: string[]): (error: unknown) => void {
  return (error) => {
    if (!codes.includes(codeOf(error))) throw error;
  };
}

function isOtherLiveProcess(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
