// Stores the bytes of documents. Bytes and row are written separately, so the store keeps a note
// for each blob until its row is certain. After a crash or a lost database connection, a sweep
// finds leftover bytes by these notes.

/** A blob whose row is about to be written or deleted. Only `settle` throws. */
export type StagedBlob = {
  readonly id: string;
  /**
   * The row exists: removes the note. Throws `DamagedBlob` if another process removed the blob.
   */
  settle(): Promise<void>;
  /** The row does not exist: removes the bytes and the note. */
  discard(): Promise<void>;
  /** It is unknown whether the row exists: leaves the bytes and the note to the sweep. */
  leave(): void;
};

export type BlobPart = {
  readonly offset: number;
  readonly length: number;
  /** The size of the whole blob. */
  readonly sizeBytes: number;
};

/** Every method throws `unavailable` if the store cannot be reached. */
export type BlobStore = {
  /**
   * Writes a blob. After it returns, the bytes survive a crash. If the source fails, nothing is
   * kept.
   */
  write(id: string, source: AsyncIterable<Uint8Array>): Promise<StagedBlob>;
  /**
   * Reads a part of a blob, in chunks of at most 256 KiB. Throws `DamagedBlob` before the first
   * chunk if the blob is missing or has another size.
   */
  read(id: string, part: BlobPart): AsyncIterable<Uint8Array>;
  /** Creates a note for a blob whose row is about to be deleted. */
  unsettle(id: string): Promise<StagedBlob>;
  /**
   * Settles the notes of processes that have ended, and the notes that this process left to the
   * sweep. Removes only blobs without a row: `isNeeded` returns whether a blob has one.
   */
  sweep(isNeeded: (id: string) => Promise<boolean>): Promise<void>;
  /** Throws if the store is not writable. */
  check(): Promise<void>;
  close(): Promise<void>;
};
