import { createHash } from 'node:crypto';

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
