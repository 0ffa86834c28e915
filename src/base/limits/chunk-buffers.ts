// The buffers of downloads. V8 collects garbage after every few megabytes of new buffers, and that
// costs more than sending them. Therefore the transport gives each buffer back.

/** Few sizes, so that a buffer fits the next download. The last one is the size of a full chunk. */
const sizes = [16, 64, 256].map((kibibytes) => kibibytes * 1024);
const fullBytes = 256 * 1024;
const freeBytesMax = 16 * 1024 * 1024;

export type ChunkBuffers = {
  /** Returns a buffer with arbitrary content for up to `length` bytes, of at most 256 KiB. */
  take(length: number): Buffer;
  /** Nothing may read the chunk any more. Ignores other chunks; unreleased ones are garbage. */
  release(chunk: Uint8Array): void;
};

export function createChunkBuffers(): ChunkBuffers {
  const free = new Map<number, Buffer[]>(sizes.map((size) => [size, []]));
  const taken = new WeakMap<ArrayBufferLike, Buffer>();
  let freeBytes = 0;

  function takeFree(size: number): Buffer | undefined {
    const buffer = free.get(size)?.pop();
    if (buffer !== undefined) freeBytes -= size;
    return buffer;
  }

  return {
    take(length) {
      const size = sizes.find((one) => one >= length) ?? fullBytes;
      const buffer = takeFree(size) ?? Buffer.allocUnsafeSlow(size);
      taken.set(buffer.buffer, buffer);
      return buffer;
    },
    release(chunk) {
      const buffer = taken.get(chunk.buffer);
      if (buffer === undefined) return;
      taken.delete(chunk.buffer);
      if (freeBytes + buffer.length > freeBytesMax) return;
      freeBytes += buffer.length;
      free.get(buffer.length)?.push(buffer);
    },
  };
}
