// Evicts what this process has cached of an entity when any process changes the entity.
import { Failure, fail } from '../../base/errors/errors.ts';
import { commitListenersOf } from '../changes/cached-tables.ts';
import { type ChangeSource, pollChanges } from '../changes/poll-changes.ts';
import { storageFailureOf } from '../database.ts';
import { type Changes, type EntityChange, noChanges } from '../schema/change.ts';
import type { Database } from '../schema/schema.ts';

const trustMs = 5_000;

type Evict = (changes: Changes) => void;

export type Invalidations = {
  /**
   * Calls the listener for all changes. All listeners run synchronously, so that no cache is filled
   * from another cache that still has old entries. If one throws, all are called again.
   */
  onEviction(evict: Evict): void;
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
  /** Replaces the reads of the database, for tests. */
  readonly source?: ChangeSource;
};

/** Resolves when every change that commits later will evict. */
export async function watchInvalidations(
  db: Database,
  options: InvalidationOptions = {},
): Promise<Invalidations> {
  const { monotonicNow = () => performance.now() } = options;
  const { source = pollChanges(db, monotonicNow) } = options;
  const listeners: Evict[] = [];
  const own = new OwnChanges();
  let lastReadTime = Number.NEGATIVE_INFINITY;

  function evict(changes: Changes): void {
    for (const listener of listeners) listener(changes);
  }
  await source.start(({ changes, readTime }) => {
    evict(own.without(changes));
    own.noteDelivered(changes, readTime);
    lastReadTime = readTime;
  });
  const listener = {
    lastId: () => own.lastId,
    onCommit(list: readonly EntityChange[], isConfirmed: boolean): void {
      evict({ ...noChanges, list });
      if (isConfirmed) own.noteApplied(list, monotonicNow());
    },
  };
  commitListenersOf(db)?.add(listener);

  const isFresh = () => monotonicNow() - lastReadTime <= trustMs;
  async function refresh(): Promise<void> {
    await source.refresh();
    // This may have been a read that began long ago.
    if (!isFresh()) await source.refresh();
    if (!isFresh()) throw new Error('reading the changes takes too long');
  }

  return {
    onEviction: (listener) => void listeners.push(listener),
    ensureFresh: () => (isFresh() ? undefined : refresh().catch(failToUpdate)),
    async stop() {
      commitListenersOf(db)?.remove(listener);
      await source.stop();
    },
  };
}

/** Throws `unavailable` after a failed attempt to update cached data. */
export function failToUpdate(error: unknown): never {
  const cause = storageFailureOf(error);
  if (cause instanceof Failure) throw cause;
  const detail = 'The service cannot update its cached data.';
  throw fail('unavailable', detail, { cause, retryAfterSeconds: 1 });
}

/** Remembers the changes of this process until the source delivers them, to apply them once. */
class OwnChanges {
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
