// Bytes that many responses send at once.
import { LRUCache } from 'lru-cache';

const cachedBytesMax = 8 * 1024 * 1024;

/**
 * Keeps at most 8 MiB of the loaded buffers. A buffer that left the cache is used again as long as
 * a response holds it, so that clients that do not read cannot make copies of it.
 */
export function createSharedBuffers(
  load: (key: string) => Promise<Buffer | undefined>,
): (key: string) => Promise<Buffer | undefined> {
  const living = new Map<string, WeakRef<Buffer>>();
  const collected = new FinalizationRegistry<string>((key) => {
    if (living.get(key)?.deref() === undefined) living.delete(key);
  });
  const cache = new LRUCache<string, Buffer>({
    maxSize: cachedBytesMax,
    sizeCalculation: ({ length }) => Math.max(1, length),
    // Concurrent requests wait for the same load.
    fetchMethod: async (key) => {
      const held = living.get(key)?.deref();
      if (held !== undefined) return held;
      const bytes = await load(key);
      if (bytes === undefined) return undefined;
      living.set(key, new WeakRef(bytes));
      collected.register(bytes, key);
      return bytes;
    },
  });
  return (key) => cache.fetch(key);
}
