// Buffers the reports of readers' browsers in memory and writes them in batches, so that no report
// waits for a write. Reports contain totals: if one is lost, the next one replaces it.

import type { Clock } from '../../base/clock.ts';
import { within } from '../../base/limits/within.ts';
import { transact } from '../../storage/database.ts';
import type { Database, Executor, ViewPageRow } from '../../storage/schema/schema.ts';
import {
  findStoredPageRows,
  lockViews,
  pageRowKey,
  raisePageDurations,
  raiseViewDurations,
} from './store.ts';

const batchMs = 2_000;
const batchRowsMax = 1_000;

/** Rows that wait for the database. Further rows are dropped. */
const bufferedMax = 20_000;

const viewBufferedMax = 1_000;

/** Rows of one view that are examined for one batch. Later rows are dropped. */
const viewExaminedMax = 5_000;

/** Rows that one view may have in the database. At the limit, existing rows still change. */
const viewRowsMax = 1_000;

/** The process exits one second after its last call has ended. */
const stopMs = 800;

export type ViewRecorder = {
  record(rows: readonly ViewPageRow[]): void;
  flush(): Promise<void>;
  /** Writes the buffered rows a last time. Gives up after `stopMs`. */
  stop(): Promise<void>;
};

export type ViewRecorderOptions = {
  readonly db: Database;
  readonly now: Clock;
  readonly warn: (facts: object, message: string) => void;
};

type BufferedView = { readonly rows: Map<string, ViewPageRow>; examined: number };

export function createViewRecorder({ db, now, warn }: ViewRecorderOptions): ViewRecorder {
  let buffered = new Map<string, BufferedView>();
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let failing = false;

  function record(rows: readonly ViewPageRow[]): void {
    for (const row of rows) noteRow(row);
    if (size > 0) timer ??= setTimeout(() => void flush(), batchMs).unref();
  }

  function noteRow(row: ViewPageRow): void {
    const view = buffered.get(row.view_id) ?? { rows: new Map(), examined: 0 };
    if (++view.examined > viewExaminedMax) return;
    const key = `${row.visit} ${row.page}`;
    const known = view.rows.get(key);
    if (known !== undefined) {
      if (known.duration_ms < row.duration_ms) view.rows.set(key, row);
      return;
    }
    if (view.rows.size >= viewBufferedMax || !hasRoomFor(view)) return;
    view.rows.set(key, row);
    buffered.set(row.view_id, view);
    size++;
  }

  /** If the buffer is full, drops the view with the most rows, unless `view` has as many. */
  function hasRoomFor(view: BufferedView): boolean {
    if (size < bufferedMax) return true;
    let [largestId, most] = ['', view.rows.size + 1];
    for (const [id, { rows }] of buffered)
      if (rows.size > most) [largestId, most] = [id, rows.size];
    if (!buffered.delete(largestId)) return false;
    size -= most;
    return true;
  }

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    // The rows of a view stay together, so that few batches contain the same view.
    const views = [...buffered].sort(([a], [b]) => (a < b ? -1 : 1));
    const sorted = views.flatMap(([, { rows }]) => [...rows.values()]);
    buffered = new Map();
    size = 0;
    for (let i = 0; i < sorted.length; i += batchRowsMax) {
      const batch = sorted.slice(i, i + batchRowsMax);
      try {
        await transact(db, (trx) => writeBatch(trx, batch, now()));
        failing = false;
      } catch (err) {
        if (!failing) warn({ err, rows: sorted.length - i }, 'cannot write views; trying again');
        failing = true;
        record(sorted.slice(i));
        return;
      }
    }
  }

  function flush(): Promise<void> {
    writing = writing.then(write);
    return writing;
  }

  return {
    record,
    flush,
    async stop() {
      await within(stopMs, flush());
      clearTimeout(timer);
    },
  };
}

async function writeBatch(trx: Executor, rows: ViewPageRow[], now: number): Promise<void> {
  const views = [...new Set(rows.map(({ view_id }) => view_id))];
  const kept = await selectFitting(trx, rows, await lockViews(trx, views));
  if (kept.length === 0) return;
  const raised = await raisePageDurations(trx, kept);
  if (raised.size > 0) await raiseViewDurations(trx, raised, now);
}

/** Returns the rows that exist already or fit in their view. `storedOf` counts existing rows. */
async function selectFitting(
  trx: Executor,
  rows: readonly ViewPageRow[],
  storedOf: ReadonlyMap<string, number>,
): Promise<ViewPageRow[]> {
  const ofExistingViews = rows.filter(({ view_id }) => storedOf.has(view_id));
  const added = new Map<string, number>();
  for (const { view_id } of ofExistingViews) added.set(view_id, (added.get(view_id) ?? 0) + 1);
  const roomOf = (id: string) => viewRowsMax - (storedOf.get(id) ?? 0);
  const mayExceed = ({ view_id }: ViewPageRow) => (added.get(view_id) ?? 0) > roomOf(view_id);
  const candidates = ofExistingViews.filter(mayExceed);
  if (candidates.length === 0) return ofExistingViews;
  const known = await findStoredPageRows(trx, candidates);
  const newRows = new Map<string, number>();
  return ofExistingViews.filter((row) => {
    if (!mayExceed(row) || known.has(pageRowKey(row))) return true;
    const count = (newRows.get(row.view_id) ?? 0) + 1;
    newRows.set(row.view_id, count);
    return count <= roomOf(row.view_id);
  });
}
