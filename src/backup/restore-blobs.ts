// Writes the blobs of a backup. The database notes each blob before its first byte is written.

import { hasBlob } from '../base/files/damaged-blob.ts';
import type { BlobStore } from '../sharing/blobs/blob-store.ts';
import { transact } from '../storage/database.ts';
import type { Database } from '../storage/schema/schema.ts';
import { BackupError, type BlobFacts, type BlobMode, nameBlob, requireBlobIds } from './format.ts';
import { measureBytes } from './measure-bytes.ts';
import { deleteNotes, findNotes, insertNotes } from './store.ts';

type Target = {
  readonly db: Database;
  readonly blobs: RestoreBlobs;
  readonly signal: AbortSignal;
};

export type RestoreBlobs = Pick<BlobStore, 'read' | 'write' | 'remove'>;

export type BlobWriter = {
  begin(documents: readonly BlobFacts[]): Promise<void>;
  write(blobId: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  finish(): Promise<void>;
  counted(): { readonly documents: number; readonly bytes: number };
  /** The names of the versions without content, or with a wrong size or SHA-256. */
  damaged(): readonly string[];
  /** The names of the versions whose blobs are missing in the store; only for references. */
  missing(): readonly string[];
};

export function createBlobWriter(target: Target, mode: BlobMode): BlobWriter {
  const { db, blobs, signal } = target;
  const counted = { documents: 0, bytes: 0 };
  const damaged: string[] = [];
  const missing: string[] = [];
  let expected = new Map<string, BlobFacts>();

  function finishBatch(): void {
    for (const facts of expected.values()) damaged.push(nameBlob(facts));
    expected = new Map();
  }

  return {
    async begin(documents) {
      finishBatch();
      requireBlobIds(documents);
      counted.documents += documents.length;
      for (const { size_bytes } of documents) counted.bytes += size_bytes;
      const present = await findPresent(target, documents);
      if (mode === 'references') {
        const absent = documents.filter((document) => !present.has(document));
        missing.push(...absent.map(nameBlob));
        return;
      }
      for (const { blob_id } of present) {
        throw new BackupError(`the blob store already contains ${blob_id}; it must be empty`);
      }
      await transact(db, (trx) =>
        insertNotes(
          trx,
          documents.map(({ blob_id }) => blob_id),
        ),
      );
      expected = new Map(documents.map((document) => [document.blob_id, document]));
    },

    async write(blobId, content) {
      signal.throwIfAborted();
      const facts = expected.get(blobId);
      if (facts === undefined) throw new BackupError(`the backup has an unknown blob ${blobId}`);
      expected.delete(blobId);
      const { bytes, size, sha256 } = measureBytes(content);
      await blobs.write(blobId, bytes);
      if (size() === facts.size_bytes && sha256() === facts.sha256) return;
      damaged.push(nameBlob(facts));
      await blobs.remove(blobId);
    },

    async finish() {
      finishBatch();
      if (missing.length > 0 && missing.length === counted.documents) {
        throw new BackupError(
          'the backup contains no documents, and the blob store has none of them; ' +
            'check LATCHKEY_BLOB_URL',
        );
      }
    },

    counted: () => counted,
    damaged: () => damaged,
    missing: () => missing,
  };
}

const checksAtOnce = 16;

async function findPresent(
  { blobs, signal }: Target,
  documents: readonly BlobFacts[],
): Promise<Set<BlobFacts>> {
  const present = new Set<BlobFacts>();
  const rest = documents.values();
  async function check(): Promise<void> {
    for (const document of rest) {
      signal.throwIfAborted();
      const { blob_id, size_bytes } = document;
      if (await hasBlob(blobs, blob_id, size_bytes)) present.add(document);
    }
  }
  await Promise.all(Array.from({ length: checksAtOnce }, check));
  return present;
}

const notesAtOnce = 500;

export async function removeNotedBlobs({ db, blobs }: Target): Promise<void> {
  for (;;) {
    const ids = await findNotes(db, notesAtOnce);
    if (ids.length === 0) return;
    for (const id of ids) await blobs.remove(id);
    await transact(db, (trx) => deleteNotes(trx, ids));
  }
}
