// Informs a process that another process has changed something it caches. The database has a
// counter for each topic. A transaction that changes a topic increments its counter, and every
// process reads the counters four times a second.
import { Failure, fail } from '../errors/errors.ts';
import { commitListenersOf, type Revisions, type Topic } from './cached-tables.ts';
import { storageFailureOf } from './database.ts';
import type { Database } from './schema.ts';

const pollMs = 250;
const trustMs = 5_000;

type Listener = () => void | Promise<void>;

export type Invalidations = {
  /** Calls the listener after each change of the topic, by any process. */
  onInvalidation(topic: Topic, listener: Listener): void;
  /** Calls this process's listeners as if the topic had changed. */
  invalidate(topic: Topic): Promise<void>;
  /**
   * Returns `undefined` while cached values may be trusted: up to 5 seconds after the counters were
   * last read. After that, reads the counters first, and throws `unavailable` if it cannot or if a
   * listener fails.
   */
  ensureFresh(): Promise<void> | undefined;
  stop(): Promise<void>;
};

/** Starts polling the counters. `monotonicNow` returns milliseconds and never jumps. */
export async function watchInvalidations(
  db: Database,
  monotonicNow: () => number = () => performance.now(),
): Promise<Invalidations> {
  const listeners: [Topic, Listener][] = [];
  let known = await readRevisions(db);
  let lastReadTime = monotonicNow();
  let polling: Promise<void> | undefined;
  let notifying: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;

  /**
   * Runs notifications one at a time: a value read before a change must not replace a value read
   * after it. Calls every listener, and then throws the error of the first one that failed.
   */
  function notify(isChanged: (topic: Topic) => boolean): Promise<void> {
    const notifyAll = async () => {
      const errors: unknown[] = [];
      for (const [topic, listener] of listeners) {
        if (!isChanged(topic)) continue;
        await (async () => listener())().catch((error: unknown) => errors.push(error));
      }
      if (errors.length > 0) throw errors[0];
    };
    const notified = notifying.then(notifyAll);
    notifying = notified.catch(() => {});
    return notified;
  }
  async function poll(): Promise<void> {
    const readTime = monotonicNow();
    const revisions = await readRevisions(db);
    await notify((topic) => revisions.get(topic) !== known.get(topic));
    known = revisions;
    lastReadTime = readTime;
  }
  function pollOnce(): Promise<void> {
    polling ??= poll().finally(() => {
      polling = undefined;
    });
    return polling;
  }
  function schedule(): void {
    timer = setTimeout(() => {
      pollOnce().then(schedule, schedule);
    }, pollMs);
    timer.unref();
  }
  schedule();
  async function onCommit(revisions: Revisions): Promise<void> {
    await notify((topic) => revisions.has(topic));
    for (const [topic, value] of revisions) {
      // The next poll need not notify again, unless another change happened in between.
      if (known.get(topic) === value - 1) known.set(topic, value);
    }
  }
  commitListenersOf(db)?.add(onCommit);

  return {
    onInvalidation: (topic, listener) => void listeners.push([topic, listener]),
    invalidate: (changed) => notify((topic) => topic === changed),
    ensureFresh() {
      if (monotonicNow() - lastReadTime <= trustMs) return undefined;
      return pollOnce().catch((error: unknown) => {
        const cause = storageFailureOf(error);
        if (cause instanceof Failure) throw cause;
        const detail = 'The service cannot update its cached data.';
        throw fail('unavailable', detail, { cause, retryAfterSeconds: 1 });
      });
    },
    async stop() {
      commitListenersOf(db)?.remove(onCommit);
      clearTimeout(timer);
      await polling?.catch(() => {});
      clearTimeout(timer);
    },
  };
}

async function readRevisions(db: Database): Promise<Map<Topic, number>> {
  const rows = await db.selectFrom('revisions').select(['name', 'value']).execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}
