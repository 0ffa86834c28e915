// Recognizes the blob store that belongs to the database, and uses no other one. Both have the same
// random id: the store in its marker, the database in `blob_stores`. The empty folder where a
// volume should be mounted has no marker, and a wrong bucket has another one. See
// docs/decisions/0013.
import { type Random, randomText } from '../../base/crypto/ids.ts';
import { fail } from '../../base/errors/errors.ts';
import { DamagedBlob, hasBlob, isAbsent } from '../../base/files/damaged-blob.ts';
import { transact } from '../../storage/database.ts';
import type { EndSpan } from '../../storage/drivers/spans.ts';
import type { Database, Executor } from '../../storage/schema/schema.ts';
import type { BlobPart, BlobStore, MarkedStore } from './blob-store.ts';
import { findDocumentBlobs, findStoreId, insertStoreId, replaceStoreId } from './store.ts';

/** A store that does not belong to the database. The message is for operators. */
export class WrongStore extends Error {
  constructor({ place, remedy }: MarkedStore, reason: string) {
    super(`the blob store ${place} ${reason}; ${remedy}`);
    this.name = 'WrongStore';
  }
}

export type StoreIdOptions = {
  readonly db: Database;
  /** The source of a new id. Without it, nothing is written. */
  readonly random?: Random;
};

/** Throws `unavailable`, with a `WrongStore` as cause, if the store is not that of the database. */
export type RequireOwn = (store: MarkedStore) => Promise<void>;

/** Throws if the folder belongs to another program. This ends a first start. */
async function requireOwnFiles(store: MarkedStore): Promise<void> {
  if (await store.isForeign()) throw new Error(describeForeign(store.place));
}

export const describeForeign = (place: string) =>
  `LATCHKEY_BLOB_URL: ${place} contains files of another program; name an empty folder`;

/** The number of documents to look for. It is above 1, because some may be damaged. */
const blobsMax = 100;

export function createStoreIds({ db, random }: StoreIdOptions): RequireOwn {
  let known: string | undefined;

  /**
   * A database without an id accepts a store that has one of its documents, or any store if it has
   * no documents.
   */
  async function requireEvidence(store: MarkedStore): Promise<void> {
    const blobs = await findDocumentBlobs(db, blobsMax);
    if (blobs.length === 0) return;
    for (const { blob_id, size_bytes } of blobs) {
      if (await hasBlob(store, blob_id, size_bytes)) return;
    }
    throw new WrongStore(store, 'has none of the documents in the database');
  }

  /** Gives the database and the store the same id, and returns it. */
  async function choose(store: MarkedStore, create: Random): Promise<string> {
    await requireEvidence(store);
    return transact(db, async (trx) => {
      const marked = await store.readId();
      const id = marked === '' ? randomText(create) : marked;
      const accepted = await insertStoreId(trx, id);
      // Before the commit, so that an id in the database always has a marker. Other processes wait
      // for the commit. After a crash, the next process finds the marker and inserts its id.
      if (accepted === id && marked === '') {
        await requireOwnFiles(store);
        await store.writeId(id);
      }
      return accepted;
    });
  }

  return async (store) => {
    try {
      // Never reset: another operation may have chosen the id while this one read the database.
      const own = known ?? (await findStoreId(db)) ?? (random && (await choose(store, random)));
      if (own === undefined) return await requireEvidence(store);
      known = own;
      const id = await store.readId();
      if (id === '') throw new WrongStore(store, `has no marker with the id ${own}`);
      if (id === own) return;
      throw new WrongStore(store, `belongs to another database: its id is ${id}, not ${own}`);
    } catch (error) {
      if (!(error instanceof WrongStore)) throw error;
      const detail = 'The document store is unreachable.';
      throw fail('unavailable', detail, { cause: error, retryAfterSeconds: 5 });
    }
  };
}

/**
 * Assigns a store with documents to a restored database. Both get a new id, so that a service on
 * the former database can no longer write to the store.
 */
export async function takeOverStore(
  trx: Executor,
  store: MarkedStore,
  random: Random,
): Promise<void> {
  const id = randomText(random);
  await replaceStoreId(trx, id);
  // Before the commit, so that an id in the database always has a marker.
  await store.writeId(id);
}

/** Starts a span of the current call. Returns undefined if the call is not traced. */
export type StartBlobSpan = (name: string) => EndSpan | undefined;

/**
 * The one wrapper of a store. It uses a store only if it belongs to the database: nothing is
 * written to or removed from another store, and blobs that are missing there do not count as
 * damaged. It also reports the operations to a trace, without the ids of blobs.
 */
export function restrictToOwn(
  store: MarkedStore,
  requireOwn: RequireOwn,
  startSpan: StartBlobSpan = () => undefined,
): BlobStore {
  const { presign } = store;
  let validUntil = 0;

  async function compareId(): Promise<void> {
    validUntil = 0;
    const startTime = performance.now();
    await requireOwn(store);
    validUntil = startTime + store.idValidMs;
  }

  async function requireValid(): Promise<void> {
    if (performance.now() >= validUntil) await compareId();
  }

  async function run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const end = startSpan(name);
    try {
      await requireValid();
      const result = await work();
      end?.();
      return result;
    } catch (error) {
      end?.(error);
      throw error;
    }
  }

  return {
    write: (id, source) => run('write blob', () => store.write(id, source)),
    async *read(id: string, part: BlobPart) {
      const end = startSpan('read blob');
      let failed: unknown;
      try {
        yield* store.read(id, part);
      } catch (error) {
        failed = error;
        if (error instanceof DamagedBlob && isAbsent(error)) await compareId();
        throw error;
      } finally {
        end?.(failed);
      }
    },
    ...(presign && {
      presign: (...blob: Parameters<typeof presign>) => run('presign blob', () => presign(...blob)),
    }),
    remove: (id) => run('remove blob', () => store.remove(id)),
    async check() {
      await requireValid();
      await store.check();
    },
    close: store.close,
  };
}
