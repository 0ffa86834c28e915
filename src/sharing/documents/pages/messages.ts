// The messages between the page counter and its program.

export type ToProgram =
  | { readonly kind: 'count'; readonly sizeBytes: number }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

export type FromProgram =
  /** Requests a part of the PDF, one at a time. The answer is `bytes`. */
  | { readonly kind: 'read'; readonly offset: number; readonly length: number }
  /** A spent program uses too much memory and must be replaced. */
  | { readonly kind: 'counted'; readonly pages: number; readonly isSpent: boolean };

export const readBytesMax = 256 * 1024;
