// How a process hears that another one has changed who may do what: a counter in the database,
// raised in the transaction of each such change and asked for four times a second.
import { fail } from '../rpc/errors.ts';
import { storageFailure } from './database.ts';
import type { Database, Executor } from './schema.ts';

const pollMs = 250;
const trustMs = 5_000;

export type Changes = {
  /** Calls back after each change, this process's own ones too. */
  onChange(listener: () => void | Promise<void>): void;
  /** To be called after the commit of a change that this process has made. */
  announce(): Promise<void>;
  /** Passes while what is cached may be trusted; else asks the database or throws `unavailable`. */
  ensureFresh(): Promise<void> | undefined;
  stop(): Promise<void>;
};

/** Records a change, in its own transaction. */
export async function recordChange(trx: Executor): Promise<void> {
  await trx
    .updateTable('revisions')
    .set((eb) => ({ value: eb('value', '+', 1) }))
    .where('name', '=', 'access')
    .execute();
}

/** Starts to listen. `monotonicNow` counts milliseconds and never jumps. */
export async function watchChanges(
  db: Database,
  monotonicNow: () => number = () => performance.now(),
): Promise<Changes> {
  const listeners: (() => void | Promise<void>)[] = [];
  let known = await readRevision(db);
  let lastHeard = monotonicNow();
  let polling: Promise<void> | undefined;
  let notifying: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout;

  /** One after the other: what was read before a change must not replace what was read after. */
  function notify(): Promise<void> {
    const tell = async () => {
      for (const listener of listeners) await listener();
    };
    const told = notifying.then(tell);
    notifying = told.catch(() => {});
    return told;
  }
  async function poll(): Promise<void> {
    const asked = monotonicNow();
    const revision = await readRevision(db);
    if (revision !== known) await notify();
    known = revision;
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
    onChange: (listener) => void listeners.push(listener),
    announce: notify,
    ensureFresh() {
      if (monotonicNow() - lastHeard <= trustMs) return undefined;
      return pollOnce().catch((error: unknown) => {
        throw fail('unavailable', 'The database cannot be reached.', {
          cause: storageFailure(error),
          retryAfterSeconds: 1,
        });
      });
    },
    async stop() {
      clearTimeout(timer);
      await polling?.catch(() => {});
      clearTimeout(timer);
    },
  };
}

async function readRevision(db: Database): Promise<number> {
  const row = await db
    .selectFrom('revisions')
    .select('value')
    .where('name', '=', 'access')
    .executeTakeFirstOrThrow();
  return row.value;
}
