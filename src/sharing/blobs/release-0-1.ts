// Settles the files that processes of release 0.1 left in a blob folder: a note
// `pending/<owner>.<id>` for each upload or deletion that a crash interrupted, which is a hard link
// to the bytes, and a file `leases/<owner>` for each process. A migration cannot do this, because
// processes of 0.1 may leave more of them during an upgrade. The next release deletes this file.
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { transact } from '../../storage/database.ts';
import type { Database } from '../../storage/schema/schema.ts';
import { insertExpiredBlob } from '../queries/expired-blobs.ts';
import { ignoreErrorCodes } from './blob-store.ts';

/** An upload of release 0.1 takes at most 30 minutes. Its processes renew their files. */
const leftMs = 86_400_000;

export type OldNotesOptions = {
  readonly db: Database;
  readonly root: string;
  readonly now: Clock;
};

/**
 * Replaces each note older than a day by an expired row, so that the next sweep removes its blob
 * unless a document has it. Removes the files of the processes that wrote them.
 */
export async function settleOldNotes({ db, root, now }: OldNotesOptions): Promise<void> {
  for (const note of await findLeftFiles(path.join(root, 'pending'), now())) {
    const [, id] = path.basename(note).split('.');
    if (id !== undefined) await transact(db, (trx) => insertExpiredBlob(trx, id));
    await rm(note, { force: true });
  }
  for (const file of await findLeftFiles(path.join(root, 'leases'), now())) {
    await rm(file, { force: true });
  }
}

async function findLeftFiles(folder: string, now: number): Promise<string[]> {
  const left: string[] = [];
  const names = (await readdir(folder).catch(ignoreErrorCodes('ENOENT'))) ?? [];
  for (const file of names.map((name) => path.join(folder, name))) {
    // Not the time of the last write: the note of a deletion has that of the upload.
    const { ctimeMs = now } = (await stat(file).catch(ignoreErrorCodes('ENOENT'))) ?? {};
    if (ctimeMs < now - leftMs) left.push(file);
  }
  return left;
}
