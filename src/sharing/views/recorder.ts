// What readers' browsers report, gathered in memory and written in batches, so that no report waits
// for a write. Reports carry totals: one that is lost is made good by the next.
import { transact } from '../../storage/database.ts';
import type { Database, Executor, ViewPageRow } from '../../storage/schema.ts';
import { lockViews, raiseDurations, raisePages } from './store.ts';

const batchMs = 2_000;
const batchRowsMax = 1_000;

/** As many rows as wait while the database is away; of what is more, nothing is noted. */
const notedMax = 20_000;

/** Pages of visits that one view keeps. What goes beyond is more than anybody reads. */
const viewRowsMax = 5_000;

/** A process that stops has a second left once its calls have ended. */
const stopMs = 800;

export type Recorder = {
  /** Takes note of what a visit claims by now. */
  note(rows: readonly ViewPageRow[]): void;
  /** Writes what was noted. */
  flush(): Promise<void>;
  /** Writes what was noted, for the last time. */
  stop(): Promise<void>;
};

export type RecorderOptions = {
  readonly db: Database;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Tells the operator. */
  readonly warn: (facts: object, message: string) => void;
};

export function createRecorder({ db, now, warn }: RecorderOptions): Recorder {
  let noted = new Map<string, ViewPageRow>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let failing = false;

  function note(rows: readonly ViewPageRow[]): void {
    for (const row of rows) {
      const key = `${row.view_id} ${row.visit} ${row.page}`;
      const known = noted.get(key);
      if (known === undefined ? noted.size >= notedMax : known.duration_ms >= row.duration_ms) {
        continue;
      }
      noted.set(key, row);
    }
    if (noted.size > 0) timer ??= setTimeout(() => void flush(), batchMs).unref();
  }

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    // So that each view is in as few batches as may be.
    const sorted = [...noted.values()].sort((a, b) => (a.view_id < b.view_id ? -1 : 1));
    noted = new Map();
    for (let i = 0; i < sorted.length; i += batchRowsMax) {
      const batch = sorted.slice(i, i + batchRowsMax);
      try {
        await transact(db, (trx) => writeBatch(trx, batch, now()));
        failing = false;
      } catch (err) {
        if (!failing) warn({ err, rows: sorted.length - i }, 'views wait to be recorded');
        failing = true;
        note(sorted.slice(i));
        return;
      }
    }
  }

  function flush(): Promise<void> {
    writing = writing.then(write);
    return writing;
  }

  return {
    note,
    flush,
    async stop() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, stopMs).unref());
      await Promise.race([flush(), late]);
      clearTimeout(timer);
    },
  };
}

async function writeBatch(trx: Executor, rows: ViewPageRow[], now: number): Promise<void> {
  const views = [...new Set(rows.map(({ view_id }) => view_id))];
  const locked = await lockViews(trx, views, viewRowsMax);
  const kept = rows.filter(({ view_id }) => locked.has(view_id));
  if (kept.length === 0) return;
  const raised = await raisePages(trx, kept);
  if (raised.size > 0) await raiseDurations(trx, raised, now);
}
