// The encoding of a text without a declared one. The service and the viewer must agree.

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/**
 * UTF-16 needs a byte order mark. A text that is not UTF-8 is taken for Windows-1252.
 * `isWhole`: whether the bytes are the whole text; otherwise the last character may be incomplete.
 */
export function detectEncoding(bytes: Uint8Array, isWhole: boolean): TextEncoding {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}
