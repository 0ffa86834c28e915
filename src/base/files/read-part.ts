import type { FileHandle } from 'node:fs/promises';

const chunkBytes = 64 * 1024;

/** Ends early if the file is shorter. A stream would add listeners to the handle with each part. */
export async function* readPart(
  handle: FileHandle,
  offset: number,
  length: number,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  while (read < length) {
    const chunk = Buffer.allocUnsafe(Math.min(length - read, chunkBytes));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, offset + read);
    if (bytesRead === 0) return;
    read += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}
