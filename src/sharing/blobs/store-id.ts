// Recognizes the blob store that belongs to the database. Both have the same random id: the store
// in its marker, the database in `blob_stores`. The empty folder where a volume should be mounted
// has no marker, and a wrong bucket has another one. See docs/decisions/0044.
import { type Random, randomText } from '../../crypto/ids.ts';
import { fail } from '../../errors/errors.ts';
import { hasBlob } from '../../storage/damaged-blob.ts';
import { transact } from '../../storage/database.ts';
import type { Database, Executor } from '../../storage/schema.ts';
import type { MarkedStore } from './blob-store.ts';
import { findDocumentBlobs, findStoreId, insertStoreId, replaceStoreId } from './store.ts';

/** The reason why a store is not that of the database, for operators. */
export class WrongStore extends Error {
  constructor({ place, remedy }: MarkedStore, reason: string) {
    super(`the blob store ${place} ${reason}; ${remedy}`);
    this.name = 'WrongStore';
  }
}

export type StoreIdOptions = {
  readonly db: Database;
  /** Creates the id of a store. Without it, nothing is written. */
  readonly random?: Random;
};

/** Throws `unavailable`, with a `WrongStore` as its cause, unless the store is the right one. */
export type RequireOwn = (store: MarkedStore) => Promise<void>;

/** Ends the first start, whose settings are wrong. */
async function requireOwnFiles(store: MarkedStore): Promise<void> {
  if (await store.isForeign()) throw new Error(describeForeign(store.place));
}

export const describeForeign = (place: string) =>
  `LATCHKEY_BLOB_URL: ${place} contains files of another program; name an empty folder`;

/** Enough to find an intact one, even if some are damaged. */
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

  /** Returns the id of the database, after it has chosen one. */
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
      known ??= await findStoreId(db);
      if (known === undefined) {
        if (random === undefined) return await requireEvidence(store);
        known = await choose(store, random);
      }
      const id = await store.readId();
      if (id === '') throw new WrongStore(store, `has no marker with the id ${known}`);
      if (id === known) return;
      throw new WrongStore(store, `belongs to another database: its id is ${id}, not ${known}`);
    } catch (error) {
      if (!(error instanceof WrongStore)) throw error;
      const detail = 'The document store is unreachable.';
      throw fail('unavailable', detail, { cause: error, retryAfterSeconds: 5 });
    }
  };
}

/**
 * Gives a store with documents to a database that has none yet. Both get a new id, so that a
 * service on another database cannot write to the store any more.
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
