// How a process hears that another one has changed what it keeps in memory: a counter for each
// topic in the database, raised in the transaction of a change and asked for four times a second.
import { Failure, fail } from '../errors/errors.ts';
import { storageFailure } from './database.ts';
import type { Database, Executor, RevisionRow } from './schema.ts';

const pollMs = 250;
const trustMs = 5_000;

/**
 * What changes: who may do what (credentials, their owners, users and their sessions), the signing
 * keys, the tokens that were revoked.
 */
export type Topic = RevisionRow['name'];

type Listener = () => void | Promise<void>;

export type Changes = {
  /** Calls back after each change of the topic, this process's own ones too. */
  onChange(topic: Topic, listener: Listener): void;
  /** To be called after the commit of a change that this process has made. */
  announce(topic: Topic): Promise<void>;
  /** Passes while what is cached may be trusted; else asks the database or throws `unavailable`. */
  ensureFresh(): Promise<void> | undefined;
  stop(): Promise<void>;
};

/**
 * Records a change, in its own transaction, and returns its number. Whoever records the next one
 * waits until this transaction has ended.
 */
export async function recordChange(trx: Executor, topic: Topic): Promise<number> {
  const { value } = await trx
    .updateTable('revisions')
    .set((eb) => ({ value: eb('value', '+', 1) }))
    .where('name', '=', topic)
    .returning('value')
    .executeTakeFirstOrThrow();
  return value;
}

/** Starts to listen. `monotonicNow` counts milliseconds and never jumps. */
export async function watchChanges(
  db: Database,
  monotonicNow: () => number = () => performance.now(),
): Promise<Changes> {
  const listeners: [Topic, Listener][] = [];
  let known = await readRevisions(db);
  let lastHeard = monotonicNow();
  let polling: Promise<void> | undefined;
  let notifying: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;

  /** One after the other: what was read before a change must not replace what was read after. */
  function notify(isChanged: (topic: Topic) => boolean): Promise<void> {
    const tell = async () => {
      for (const [topic, listener] of listeners) if (isChanged(topic)) await listener();
    };
    const told = notifying.then(tell);
    notifying = told.catch(() => {});
    return told;
  }
  async function poll(): Promise<void> {
    const asked = monotonicNow();
    const revisions = await readRevisions(db);
    await notify((topic) => revisions.get(topic) !== known.get(topic));
    known = revisions;
    lastHeard = asked;
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

  return {
    onChange: (topic, listener) => void listeners.push([topic, listener]),
    announce: (changed) => notify((topic) => topic === changed),
    ensureFresh() {
      if (monotonicNow() - lastHeard <= trustMs) return undefined;
      return pollOnce().catch((error: unknown) => {
        const cause = storageFailure(error);
        if (cause instanceof Failure) throw cause;
        const detail = 'The service cannot read what has changed; its log says why.';
        throw fail('unavailable', detail, { cause, retryAfterSeconds: 1 });
      });
    },
    async stop() {
      clearTimeout(timer);
      await polling?.catch(() => {});
      clearTimeout(timer);
    },
  };
}

async function readRevisions(db: Database): Promise<ReadonlyMap<Topic, number>> {
  const rows = await db.selectFrom('revisions').select(['name', 'value']).execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}
