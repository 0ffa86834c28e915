import { createHash } from 'node:crypto';

/** Passes the bytes on. Once they are read, returns their size and their SHA-256 in hexadecimal. */
export function measureBytes(source: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256');
  let size = 0;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  }
  return { bytes: bytes(), size: () => size, sha256: () => hash.digest('hex') };
}
