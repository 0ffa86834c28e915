// Decides which blobs stay. Bytes and rows are written separately, so a row in `pending_blobs`
// exists from before the first byte until the transaction that inserts the document, and from the
// transaction that deletes the document until the bytes are gone. A process renews the rows of its
// uploads. After a crash or a lost database connection they expire, and a sweep removes the bytes.

import { setImmediate } from 'node:timers/promises';
import { type Random, randomText } from '../../base/crypto/ids.ts';
import { fail } from '../../base/errors/errors.ts';
import { within } from '../../base/limits/within.ts';
import { transact, UnconfirmedCommit } from '../../storage/database.ts';
import type { DiskReserve } from '../../storage/disk-reserve.ts';
import type { Database, Executor } from '../../storage/schema/schema.ts';
import { isLeaseHeld } from '../../storage/upkeep/leases.ts';
import { type BlobStore, watchSource } from './blob-store.ts';
import {
  claimPendingBlob,
  deletePendingBlob,
  findExpiredBlobs,
  insertPendingBlobs,
  renewPendingBlobs,
} from './store.ts';

type Step = (trx: Executor) => Promise<void>;

/** Notes blobs that the transaction deletes. */
type Unsettle = (trx: Executor, ids: readonly string[]) => Promise<void>;

/** Bytes that are stored and have no document yet. The caller calls one of the two methods. */
export type StagedBlob = {
  readonly id: string;
  /**
   * Runs `work`, whose transaction inserts the document and calls `settle` as its first step. That
   * step throws `unavailable` if the lease of the upload expired and a sweep took the blob. If
   * `work` fails, removes the bytes, unless the document may exist.
   */
  commit<T>(work: (settle: Step) => Promise<T>): Promise<T>;
  /** Removes the bytes. Never throws: a sweep repeats a removal that fails. */
  discard(): Promise<void>;
};

export type StagedBlobs = {
  /** Stores bytes under a new id. If that fails, the bytes are removed at once or by a sweep. */
  write(source: AsyncIterable<Uint8Array>): Promise<StagedBlob>;
  /**
   * Runs `work`, whose transaction deletes versions and calls `unsettle` with their blobs. Then
   * removes the bytes; a sweep repeats a removal that fails or is delayed by a backup.
   */
  remove<T>(work: (unsettle: Unsettle) => Promise<T>): Promise<T>;
  /**
   * Settles the blobs whose rows have expired. Any process may sweep at any time. Returns early if
   * the signal is aborted.
   */
  sweep(signal?: AbortSignal): Promise<void>;
  close(): void;
};

export type StagedBlobsOptions = {
  readonly db: Database;
  readonly blobs: Pick<BlobStore, 'write' | 'remove'>;
  readonly reserve: DiskReserve;
  readonly isReferenced: (id: string) => Promise<boolean>;
  /** How long a blob without a document is kept after its process has ended. */
  readonly leaseMs: number;
  readonly random: Random;
};

/** How long an answer waits for the removal of bytes, which then continues in the background. */
const removalWaitMs = 1_000;

const sliceMax = 100;

export function createStagedBlobs(options: StagedBlobsOptions): StagedBlobs {
  const { db, blobs, reserve, isReferenced, leaseMs, random } = options;
  const holder = { owner: randomText(random), leaseMs };
  const held = createHeldBlobs(leaseMs / 4, (ids) =>
    transact(db, (trx) => renewPendingBlobs(trx, ids, holder)),
  );

  const reserveId = createBatches((ids) =>
    transact(db, (trx) => insertPendingBlobs(trx, ids, holder)),
  );

  /** Removes the bytes before the row: after a crash in between, the row still shows them. */
  async function finish(id: string): Promise<void> {
    if (!(await isReferenced(id))) await blobs.remove(id);
    await reserve.use(() => transact(db, (trx) => deletePendingBlob(trx, id, holder.owner)));
  }

  async function discard(id: string): Promise<void> {
    await waitBriefly(finish(id).finally(() => held.delete(id)));
  }

  /**
   * Removes the bytes of a failed write. A store that did not answer in time can still complete the
   * write, so the row stays until it expires. Then a sweep removes the bytes again.
   */
  async function discardUncertain(id: string): Promise<void> {
    held.delete(id);
    await waitBriefly(blobs.remove(id));
  }

  async function settle(trx: Executor, id: string): Promise<void> {
    if (await deletePendingBlob(trx, id, holder.owner)) return;
    throw fail('unavailable', 'The upload was interrupted.', { retryAfterSeconds: 1 });
  }

  async function commit<T>(id: string, work: (settle: Step) => Promise<T>): Promise<T> {
    try {
      const result = await work((trx) => settle(trx, id));
      held.delete(id);
      return result;
    } catch (error) {
      // The document may exist. Without renewals the row expires, and a sweep settles the blob.
      if (error instanceof UnconfirmedCommit) held.delete(id);
      else await discard(id);
      throw error;
    }
  }

  return {
    async write(source) {
      const id = randomText(random);
      await reserveId(id);
      held.add(id);
      const watched = watchSource(source);
      try {
        await blobs.write(id, watched.source);
      } catch (error) {
        await (watched.hasFailed() ? discard(id) : discardUncertain(id));
        throw error;
      }
      return { id, commit: (work) => commit(id, work), discard: () => discard(id) };
    },

    async remove(work) {
      let removed: readonly string[] = [];
      const result = await work(async (trx, ids) => {
        removed = ids;
        if (ids.length > 0) await insertPendingBlobs(trx, ids, holder);
      });
      // The rows are deleted, so the call succeeds even if the store is unreachable.
      await waitBriefly(
        unlessBackup(db, async () => {
          for (const id of removed) await finish(id);
        }),
      );
      return result;
    },

    async sweep(signal) {
      for (let settled = sliceMax; settled === sliceMax; ) {
        settled = 0;
        for (const id of await findExpiredBlobs(db, sliceMax)) {
          if (signal?.aborted) return;
          // If this process was suspended, the rows of its uploads have expired, too.
          if (held.has(id)) continue;
          await unlessBackup(db, async () => {
            const claim = () => transact(db, (trx) => claimPendingBlob(trx, id, holder));
            if (!(await reserve.use(claim))) return;
            await finish(id);
            settled++;
          });
        }
      }
    },

    close: held.close,
  };
}

/** Ignores errors, because a sweep repeats the removal. */
async function waitBriefly(removal: Promise<void>): Promise<void> {
  await within(removalWaitMs, removal).catch(() => {});
}

/**
 * A backup needs the bytes of all documents in its snapshot of the database. It acquires its lease
 * before the snapshot, so a check of the lease after the deletion of a document is early enough.
 */
async function unlessBackup(db: Database, work: () => Promise<void>): Promise<void> {
  if (!(await isLeaseHeld(db, 'backup'))) await work();
}

/**
 * Runs `insert` for several ids at once, because each commit waits for the disk. One run at a time:
 * ids that arrive during a run share the next.
 */
function createBatches(insert: (ids: string[]) => Promise<void>): (id: string) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: { readonly ids: string[]; readonly done: Promise<void> } | undefined;

  function startNext() {
    const ids: string[] = [];
    const done = last.then(async () => {
      // Requests that arrived at the same time are read first.
      await setImmediate();
      next = undefined;
      await insert(ids);
    });
    last = done.catch(() => {});
    return { ids, done };
  }

  return (id) => {
    next ??= startNext();
    next.ids.push(id);
    return next.done;
  };
}

/** The ids of uploads in progress. `renew` is called regularly while there are any. */
function createHeldBlobs(everyMs: number, renew: (ids: string[]) => Promise<unknown>) {
  const ids = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    has: (id: string) => ids.has(id),
    add(id: string) {
      ids.add(id);
      // Errors are ignored here: an upload whose row expires fails when it is settled.
      timer ??= setInterval(() => void renew([...ids]).catch(() => {}), everyMs).unref();
    },
    delete(id: string) {
      ids.delete(id);
      if (ids.size === 0) stop();
    },
    close: stop,
  };
}
