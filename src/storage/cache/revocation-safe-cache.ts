// A bounded cache. A change of an entity that an entry depends on evicts the entry.
import { LRUCache } from 'lru-cache';
import { type Changes, type EntityKey, entityKey } from '../schema/change.ts';
import type { Invalidations } from './invalidation.ts';

export type RevocationSafeCache<V> = {
  /** Throws `unavailable` if the database could not be read for 5 seconds. */
  find(key: string): Promise<V | undefined>;
  /** Not cached if an entity that it depends on changed during the read. */
  load(key: string, read: () => Promise<V>): Promise<V>;
  get(key: string, read: () => Promise<V>): Promise<V>;
  delete(key: string): void;
};

export type CacheOptions<V> = {
  readonly invalidations: Pick<Invalidations, 'onEviction' | 'ensureFresh'>;
  /** Returns every entity whose change can change the value, also if the value is `undefined`. */
  readonly dependsOn: (value: V, key: string) => readonly EntityKey[];
  readonly entriesMax?: number;
  readonly sizeMax?: number;
  readonly sizeOf?: (value: V) => number;
  /** Returns whether to cache a value. By default, every value is cached. */
  readonly isCached?: (value: V) => boolean;
};

/** Wraps the value, so that `undefined` can be cached too. */
type Entry<V> = { readonly value: V; readonly entities: readonly EntityKey[] };

export function createRevocationSafeCache<V>(options: CacheOptions<V>): RevocationSafeCache<V> {
  const { invalidations, dependsOn, isCached = () => true } = options;
  const keys = new KeysByEntity();
  const loads = new RunningLoads();
  const cache = new LRUCache<string, Entry<V>>({
    ...boundsOf(options),
    dispose: ({ entities }, key) => keys.remove(entities, key),
  });
  invalidations.onEviction((changes) => {
    loads.noteChanges(changes);
    if (!changes.isComplete) cache.clear();
    for (const { entity, entityId } of changes.list) {
      for (const key of keys.of(entityKey(entity, entityId))) cache.delete(key);
    }
  });

  async function findEntry(key: string): Promise<Entry<V> | undefined> {
    const refresh = invalidations.ensureFresh();
    if (refresh !== undefined) await refresh;
    return cache.get(key);
  }

  function store(key: string, entry: Entry<V>): void {
    cache.delete(key);
    cache.set(key, entry);
    // The cache refuses an entry that exceeds the maximum size.
    if (cache.peek(key) === entry) keys.add(entry.entities, key);
  }

  async function load(key: string, read: () => Promise<V>): Promise<V> {
    const begin = loads.begin();
    try {
      const value = await read();
      if (!isCached(value)) return value;
      const entities = dependsOn(value, key);
      if (!loads.hasChangedSince(begin, entities)) store(key, { value, entities });
      return value;
    } finally {
      loads.end();
    }
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

/** By size, too: LRUCache allocates memory at once for as many entries as `max`. */
function boundsOf<V>({ entriesMax, sizeMax = entriesMax, sizeOf = () => 1 }: CacheOptions<V>) {
  const maxSize = sizeMax ?? 0;
  const sizeMin = Math.ceil(maxSize / (entriesMax ?? maxSize));
  return { maxSize, sizeCalculation: ({ value }: Entry<V>) => Math.max(sizeOf(value), sizeMin) };
}

/** The keys of the entries that depend on each entity. */
class KeysByEntity {
  /** Most entities have one key. A set for each of them would need several times the memory. */
  readonly #keys = new Map<EntityKey, string | Set<string>>();

  of(entity: EntityKey): readonly string[] {
    const found = this.#keys.get(entity);
    if (found === undefined) return [];
    return typeof found === 'string' ? [found] : [...found];
  }

  add(entities: readonly EntityKey[], key: string): void {
    for (const entity of entities) {
      const found = this.#keys.get(entity);
      if (found === undefined || found === key) this.#keys.set(entity, key);
      else if (typeof found === 'string') this.#keys.set(entity, new Set([found, key]));
      else found.add(key);
    }
  }

  remove(entities: readonly EntityKey[], key: string): void {
    for (const entity of entities) {
      const found = this.#keys.get(entity);
      if (found === key) this.#keys.delete(entity);
      if (!(found instanceof Set)) continue;
      found.delete(key);
      if (found.size === 0) this.#keys.delete(entity);
    }
  }
}

/** If more entities change during loads, all entities count as changed. */
const changedMax = 10_000;

/** Remembers the changes during loads, because the entities of a value are known only after it. */
class RunningLoads {
  #running = 0;
  #time = 0;
  /** The time of the last change of each entity, while a load is running. */
  readonly #changed = new Map<EntityKey, number>();
  #allChanged = 0;

  begin(): number {
    this.#running++;
    return this.#time;
  }

  end(): void {
    this.#running--;
    if (this.#running === 0) this.#changed.clear();
  }

  noteChanges({ isComplete, list }: Changes): void {
    this.#time++;
    if (this.#running === 0) return;
    for (const { entity, entityId } of list) {
      this.#changed.set(entityKey(entity, entityId), this.#time);
    }
    if (isComplete && this.#changed.size <= changedMax) return;
    this.#allChanged = this.#time;
    this.#changed.clear();
  }

  hasChangedSince(begin: number, entities: readonly EntityKey[]): boolean {
    if (this.#allChanged > begin) return true;
    return entities.some((entity) => (this.#changed.get(entity) ?? 0) > begin);
  }
}
