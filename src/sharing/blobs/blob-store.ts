// Where the bytes of documents lie. Bytes and row are two writes, so a store keeps a note of each
// blob whose row is not settled yet; what a crash leaves behind is found by these notes at start.

/** A blob that has been written and waits for its row. */
export type StagedBlob = {
  readonly id: string;
  /** The row is there: forget the note. */
  settle(): Promise<void>;
  /** There will be no row: drop the bytes. */
  discard(): Promise<void>;
};

export type BlobStore = {
  /**
   * Writes a blob; when it returns, the bytes outlast a crash. A source that fails leaves nothing.
   */
  write(id: string, source: AsyncIterable<Uint8Array>): Promise<StagedBlob>;
  /** Reads `length` bytes from `offset`, in chunks of at most 256 KiB. */
  read(id: string, offset: number, length: number): AsyncIterable<Uint8Array>;
  /** Notes that a blob's row is about to be deleted. `discard` once it is, else `settle`. */
  unsettle(id: string): Promise<StagedBlob>;
  /** Drops what a crash has left behind; `isNeeded` tells whether a blob has a row. */
  sweep(isNeeded: (id: string) => Promise<boolean>): Promise<void>;
  /** Throws where the store can't be written to. */
  check(): Promise<void>;
};
