// A bounded cache. A change of the database rows that an entry was read from evicts the entry.
import { LRUCache } from 'lru-cache';
import type { Topic } from './cached-tables.ts';
import type { Invalidations } from './invalidation.ts';

export type RevocationSafeCache<V> = {
  /**
   * Returns the cached value. Throws `unavailable` if the database could not be read for 5 seconds.
   */
  find(key: string): Promise<V | undefined>;
  /** Reads the value from the database and caches it, unless the topic changed during the read. */
  load(key: string, read: () => Promise<V>): Promise<V>;
  /** Returns the cached value, or calls `read` and caches its result. */
  get(key: string, read: () => Promise<V>): Promise<V>;
  delete(key: string): void;
};

export type CacheOptions<V> = {
  readonly invalidations: Invalidations;
  /** The topic whose changes evict all entries. */
  readonly topic: Topic;
  readonly entriesMax?: number;
  /** The maximum sum of the sizes of all entries. */
  readonly sizeMax?: number;
  readonly sizeOf?: (value: V) => number;
  /** Returns whether to cache a value. By default, every value is cached. */
  readonly isCached?: (value: V) => boolean;
};

/** Wraps the value, so that `undefined` can be cached too. */
type Entry<V> = { readonly value: V };

export function createRevocationSafeCache<V>(options: CacheOptions<V>): RevocationSafeCache<V> {
  const { invalidations, topic, isCached = () => true } = options;
  const cache = new LRUCache<string, Entry<V>>(boundsOf(options));
  let generation = 0;
  invalidations.onInvalidation(topic, () => {
    generation++;
    cache.clear();
  });

  async function findEntry(key: string): Promise<Entry<V> | undefined> {
    const refresh = invalidations.ensureFresh();
    if (refresh !== undefined) await refresh;
    return cache.get(key);
  }

  async function load(key: string, read: () => Promise<V>): Promise<V> {
    const before = generation;
    const value = await read();
    if (before === generation && isCached(value)) cache.set(key, { value });
    return value;
  }

  return {
    find: async (key) => (await findEntry(key))?.value,
    load,
    async get(key, read) {
      const entry = await findEntry(key);
      return entry === undefined ? load(key, read) : entry.value;
    },
    delete: (key) => void cache.delete(key),
  };
}

function boundsOf<V>({ entriesMax, sizeMax, sizeOf }: CacheOptions<V>) {
  const sizeCalculation = ({ value }: Entry<V>) => sizeOf?.(value) ?? 1;
  const bySize = { maxSize: sizeMax ?? 0, sizeCalculation };
  return { max: entriesMax ?? 0, ...(sizeMax === undefined ? {} : bySize) };
}
