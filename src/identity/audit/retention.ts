// Deletes the events that are older than the operator keeps them: in every process, which does no
// harm, and in small batches, so that nobody has to wait for it.
import { transact } from '../../storage/database.ts';
import type { Database } from '../../storage/schema.ts';
import { deleteEvents } from './store.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const batchMax = 500;
const pauseMs = 20;

export type Retention = {
  /** Ends after the batch that is being deleted. */
  stop(): Promise<void>;
};

export type RetentionOptions = {
  readonly db: Database;
  readonly days: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Tells the operator. */
  readonly warn: (facts: object, message: string) => void;
  /** From the end of a search for old events to the next one. */
  readonly everyMs?: number;
};

/** Looks for old events at once, and then every hour. */
export function startRetention(options: RetentionOptions): Retention {
  const { db, days, now, warn, everyMs = hourMs } = options;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  function wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      timer = setTimeout(resolve, ms).unref();
    });
  }

  async function deleteOld(): Promise<void> {
    const before = now() - days * dayMs;
    while (!stopped) {
      const deleted = await transact(db, (trx) => deleteEvents(trx, before, batchMax));
      if (deleted < batchMax) return;
      await wait(pauseMs);
    }
  }

  let deleting: Promise<void>;
  function run(): void {
    deleting = deleteOld()
      .catch((err: unknown) => warn({ err }, 'old audit events could not be deleted'))
      .then(() => {
        if (!stopped) timer = setTimeout(run, everyMs).unref();
      });
  }
  run();

  return {
    async stop() {
      stopped = true;
      await deleting;
      clearTimeout(timer);
    },
  };
}
