// Where the bytes of documents lie. Bytes and row are two writes, so a store keeps a note of each
// blob whose row is not settled yet; a sweep finds by these notes what a crash or a lost database
// connection has left behind.

/** A blob whose row is about to be written or deleted. None of its methods but `settle` throws. */
export type StagedBlob = {
  readonly id: string;
  /**
   * The row is there: remove the note. Throws `DamagedBlob` where another process swept the blob.
   */
  settle(): Promise<void>;
  /** There is no row: remove the bytes and the note. */
  discard(): Promise<void>;
  /** It is unknown whether there is a row: leave bytes and note to the sweep. */
  leave(): void;
};

export type BlobPart = {
  readonly offset: number;
  readonly length: number;
  /** The size of the whole blob. */
  readonly sizeBytes: number;
};

/** Every method throws `unavailable` where the store cannot be reached. */
export type BlobStore = {
  /**
   * Writes a blob; when it returns, the bytes outlast a crash. A source that fails leaves nothing.
   */
  write(id: string, source: AsyncIterable<Uint8Array>): Promise<StagedBlob>;
  /**
   * Reads a part of a blob, in chunks of at most 256 KiB. Throws `DamagedBlob` before the first
   * chunk where the blob is missing or does not have the size.
   */
  read(id: string, part: BlobPart): AsyncIterable<Uint8Array>;
  /** Notes that a blob's row is about to be deleted. */
  unsettle(id: string): Promise<StagedBlob>;
  /**
   * Settles the notes of processes that have ended, and those left by this one. Looks at rows
   * before it removes anything: `isNeeded` returns whether a blob has a row.
   */
  sweep(isNeeded: (id: string) => Promise<boolean>): Promise<void>;
  /** Throws where the store can't be written to. */
  check(): Promise<void>;
  close(): Promise<void>;
};
