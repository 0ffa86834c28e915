// Stores the bytes of documents. A store knows no documents: staged-blobs.ts decides which blobs
// stay.

export type BlobPart = {
  readonly offset: number;
  readonly length: number;
  /** The size of the whole blob. */
  readonly sizeBytes: number;
};

/** The headers of a response that the store itself sends. */
export type BlobHeaders = { readonly contentType: string; readonly contentDisposition: string };

/** Every method throws `unavailable` if the store cannot be reached. */
export type BlobStore = {
  /**
   * Writes a new blob. Throws if the id exists. After it returns, the bytes survive a crash. If it
   * fails, it may leave parts behind.
   */
  write(id: string, source: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Reads a part of a blob, in chunks of at most 256 KiB. Throws `DamagedBlob` before the first
   * chunk if the blob is missing or has another size, and before any chunk if it cannot be read.
   */
  read(id: string, part: BlobPart): AsyncIterable<Uint8Array>;
  /**
   * Returns a secret URL from which anyone can read the blob for some seconds, also in ranges. Only
   * an S3 store has URLs.
   */
  presign?(id: string, seconds: number, headers: BlobHeaders): Promise<string>;
  /**
   * Removes a blob and the parts that an interrupted write left. After it returns, the removal
   * survives a crash. Returns normally if nothing exists.
   */
  remove(id: string): Promise<void>;
  /** Throws if the store is not writable. */
  check(): Promise<void>;
  close(): Promise<void>;
};

/** A store with a marker: an object or file that contains the id of the store. */
export type MarkedStore = BlobStore & {
  /** Names the store for operators. */
  readonly place: string;
  /** The setting or volume that operators check if the store is wrong. */
  readonly remedy: string;
  /** How long a comparison of the id stays valid, in milliseconds. */
  readonly idValidMs: number;
  /** Returns whether the store contains only data of another program. */
  isForeign(): Promise<boolean>;
  /** Returns an empty text if the store has no marker or its marker is empty. */
  readId(): Promise<string>;
  /** Replaces the marker. */
  writeId(id: string): Promise<void>;
};

/** Returns the id. Throws if the id could name something outside the folder or prefix. */
export function requireBlobId(id: string): string {
  if (/^\w{1,100}$/.test(id)) return id;
  throw new Error(`"${id}" is not the id of a blob`);
}
