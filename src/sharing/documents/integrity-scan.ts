// Regularly compares the stored bytes of every version with its digest, to detect damage while a
// backup still exists. Reads one blob at a time, slowly.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, dayMs, hourMs } from '../../base/clock.ts';
import { type Damage, DamagedBlob } from '../../base/files/damaged-blob.ts';
import { transact } from '../../storage/database.ts';
import type { Database, DocumentVersionRow } from '../../storage/schema/schema.ts';
import type { Lease } from '../../storage/upkeep/leases.ts';
import { type PeriodicTask, startPeriodicTask } from '../../storage/upkeep/periodic-task.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { findVersion, findVersionsToCheck, setCheckTime } from '../queries/document-versions.ts';
import { type BlobCheck, type StoredContent, verifyDigest } from './documents.ts';

const bytesPerSecond = 8 * 1024 * 1024;
/** Chooses one of this many versions, so that two processes rarely check the same one. */
const choices = 16;

export type IntegrityScanOptions = {
  readonly db: Database;
  readonly blobs: Pick<BlobStore, 'read'>;
  /** Each version is checked again after this many days. */
  readonly days: number;
  readonly lease: Lease;
  readonly now: Clock;
  readonly observe: (check: BlobCheck) => void;
  readonly warn: (facts: object, message: string) => void;
};

/** Checks versions immediately and then every hour. */
export function startIntegrityScan(options: IntegrityScanOptions): PeriodicTask {
  const { db, blobs, days, lease, now, observe, warn } = options;

  async function check(row: DocumentVersionRow, signal: AbortSignal): Promise<void> {
    const pace = (bytes: number) =>
      sleep((bytes / bytesPerSecond) * 1000, undefined, { signal, ref: false });
    const result = await checkBlob(blobs, row, pace);
    const { document_id: documentId, version } = row;
    // The bytes may be missing because the version was deleted during the check.
    if ((await findVersion(db, documentId, version)) === undefined) return;
    observe({ documentId, version, source: 'scan', result });
    await transact(db, (trx) => setCheckTime(trx, row, now()));
  }

  return startPeriodicTask({
    pauseMs: hourMs,
    lease,
    async round(signal) {
      while (!signal.aborted) {
        const rows = await findVersionsToCheck(db, now() - days * dayMs, choices);
        const row = rows[Math.floor(Math.random() * rows.length)];
        if (row === undefined) return;
        await check(row, signal);
      }
    },
    onError(err) {
      if (err instanceof Error && err.name === 'AbortError') return;
      warn({ err }, 'cannot check stored documents');
    },
  });
}

/** Reads a whole blob and compares it with its row; awaits `pace` after each chunk. */
export async function checkBlob(
  blobs: Pick<BlobStore, 'read'>,
  row: StoredContent,
  pace: (bytes: number) => Promise<void> = async () => {},
): Promise<'ok' | Damage> {
  try {
    const part = { offset: 0, length: row.size_bytes, sizeBytes: row.size_bytes };
    for await (const chunk of verifyDigest(blobs.read(row.blob_id, part), row)) {
      await pace(chunk.length);
    }
    return 'ok';
  } catch (error) {
    if (error instanceof DamagedBlob) return error.damage;
    throw error;
  }
}
