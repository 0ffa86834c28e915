// What the counter and its program say to each other.

export type ToProgram =
  | { readonly kind: 'count'; readonly sizeBytes: number }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

export type FromProgram =
  /** One at a time; `bytes` is the answer. */
  | { readonly kind: 'read'; readonly offset: number; readonly length: number }
  /** A program that is spent has grown, and is better replaced than used again. */
  | { readonly kind: 'counted'; readonly pages: number; readonly isSpent: boolean };

/** The most that is read at once. */
export const readBytesMax = 256 * 1024;
