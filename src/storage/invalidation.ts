// Evicts what this process has cached of an entity when any process changes the entity.
import { Failure, fail } from '../errors/errors.ts';
import { commitListenersOf } from './cached-tables.ts';
import { type Changes, type Entity, type EntityChange, noChanges } from './change.ts';
import { storageFailureOf } from './database.ts';
import { type ChangeSource, pollChanges } from './poll-changes.ts';
import type { Database } from './schema.ts';

const trustMs = 5_000;

type Evict = (changes: Changes) => void;
type Reload = (changes: Changes) => Promise<void>;

export type Invalidations = {
  /**
   * Calls the listener for all changes, before any listener of `onReload`. All these listeners run
   * without a pause, so that no cache is filled from another one that still has to be evicted.
   */
  onEviction(evict: Evict): void;
  /** Calls the listener if an entity of the kind has changed. The next changes wait for it. */
  onReload(entity: Entity, reload: Reload): void;
  /** Calls this process's listeners as if any entity of the kind had changed. */
  reload(entity: Entity): Promise<void>;
  /**
   * Returns `undefined` while cached values may be trusted: up to 5 seconds after the changes were
   * last read. After that, reads the changes first, and throws `unavailable` if it cannot or if a
   * listener fails.
   */
  ensureFresh(): Promise<void> | undefined;
  stop(): Promise<void>;
};

export type InvalidationOptions = {
  /** Returns milliseconds and never jumps. */
  readonly monotonicNow?: () => number;
  readonly source?: ChangeSource;
};

/** Resolves when every change that commits later will evict. */
export async function watchInvalidations(
  db: Database,
  options: InvalidationOptions = {},
): Promise<Invalidations> {
  const { monotonicNow = () => performance.now() } = options;
  const { source = pollChanges(db, monotonicNow) } = options;
  const listeners = new Listeners();
  const own = new OwnChanges();
  let lastReadTime = Number.NEGATIVE_INFINITY;

  await source.start(async ({ changes, readTime }) => {
    await listeners.apply(own.without(changes));
    own.noteDelivered(changes, readTime);
    lastReadTime = readTime;
  });
  const listener = {
    lastId: () => own.lastId,
    async onCommit(list: readonly EntityChange[], isConfirmed: boolean): Promise<void> {
      await listeners.apply({ ...noChanges, list });
      if (isConfirmed) own.noteApplied(list, monotonicNow());
    },
  };
  commitListenersOf(db)?.add(listener);

  return {
    onEviction: (evict) => void listeners.evictions.push(evict),
    onReload: (entity, reload) => void listeners.reloads.push([entity, reload]),
    reload: (entity) =>
      listeners.reload((one) => one === entity, { ...noChanges, isComplete: false }),
    ensureFresh() {
      if (monotonicNow() - lastReadTime <= trustMs) return undefined;
      return source.refresh().catch((error: unknown) => {
        const cause = storageFailureOf(error);
        if (cause instanceof Failure) throw cause;
        const detail = 'The service cannot update its cached data.';
        throw fail('unavailable', detail, { cause, retryAfterSeconds: 1 });
      });
    },
    async stop() {
      commitListenersOf(db)?.remove(listener);
      await source.stop();
    },
  };
}

class Listeners {
  readonly evictions: Evict[] = [];
  readonly reloads: [Entity, Reload][] = [];
  #reloading: Promise<void> = Promise.resolve();

  /** Throws the error of the first listener that fails, after it has called every listener. */
  async apply(changes: Changes): Promise<void> {
    const errors: unknown[] = [];
    for (const evict of this.evictions) {
      try {
        evict(changes);
      } catch (error) {
        errors.push(error);
      }
    }
    const changed = new Set(changes.list.map(({ entity }) => entity));
    await this.reload((entity) => !changes.isComplete || changed.has(entity), changes);
    if (errors.length > 0) throw errors[0];
  }

  /**
   * Reloads one after the other: a value read before a change must not replace a value read after
   * it.
   */
  reload(isChanged: (entity: Entity) => boolean, changes: Changes): Promise<void> {
    const chosen = this.reloads.filter(([entity]) => isChanged(entity));
    if (chosen.length === 0) return Promise.resolve();
    const reloadAll = async () => {
      const errors: unknown[] = [];
      for (const [, reload] of chosen) {
        await (async () => reload(changes))().catch((error: unknown) => errors.push(error));
      }
      if (errors.length > 0) throw errors[0];
    };
    const reloaded = this.#reloading.then(reloadAll);
    this.#reloading = reloaded.catch(() => {});
    return reloaded;
  }
}

/** Remembers the changes of this process until the source delivers them, to apply them once. */
class OwnChanges {
  /** See `lastId` of `Changes`. */
  lastId = 0;
  readonly #noteTimes = new Map<number, number>();

  noteApplied(list: readonly EntityChange[], time: number): void {
    for (const { id } of list) {
      this.#noteTimes.set(id, time);
      this.lastId = Math.max(this.lastId, id);
    }
  }

  without(changes: Changes): Changes {
    return { ...changes, list: changes.list.filter(({ id }) => !this.#noteTimes.has(id)) };
  }

  /** A read includes what was committed before it began, so no later one delivers it. */
  noteDelivered(changes: Changes, readTime: number): void {
    for (const [id, noteTime] of this.#noteTimes) {
      if (noteTime <= readTime) this.#noteTimes.delete(id);
    }
    const { isComplete, lastId } = changes;
    this.lastId = isComplete ? Math.max(this.lastId, lastId) : lastId;
  }
}
