// What readers' browsers report, gathered in memory and written in batches, so that no report waits
// for a write. Reports carry totals: one that is lost is made good by the next.
import type { Clock } from '../../clock.ts';
import { transact } from '../../storage/database.ts';
import type { Database, Executor, ViewPageRow } from '../../storage/schema.ts';
import { knownRows, lockViews, raiseDurations, raisePages, rowKey } from './store.ts';

const batchMs = 2_000;
const batchRowsMax = 1_000;

/** As many rows as wait while the database is away; of what is more, nothing is noted. */
const notedMax = 20_000;

/** Of one view in one batch. */
const viewNotedMax = 1_000;

/** So many rows of one view are looked at for one batch; the next totals come again. */
const viewSeenMax = 5_000;

/** Pages of visits that one view keeps. Their time still grows where there is no room for more. */
const viewRowsMax = 1_000;

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
  readonly now: Clock;
  /** Tells the operator. */
  readonly warn: (facts: object, message: string) => void;
};

/** One view's rows, by visit and page, and how many were looked at. */
type Noted = { readonly rows: Map<string, ViewPageRow>; seen: number };

export function createRecorder({ db, now, warn }: RecorderOptions): Recorder {
  let noted = new Map<string, Noted>();
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let failing = false;

  function note(rows: readonly ViewPageRow[]): void {
    for (const row of rows) noteRow(row);
    if (size > 0) timer ??= setTimeout(() => void flush(), batchMs).unref();
  }

  function noteRow(row: ViewPageRow): void {
    const view = noted.get(row.view_id) ?? { rows: new Map(), seen: 0 };
    if (++view.seen > viewSeenMax) return;
    const key = `${row.visit} ${row.page}`;
    const known = view.rows.get(key);
    if (known !== undefined) {
      if (known.duration_ms < row.duration_ms) view.rows.set(key, row);
      return;
    }
    if (view.rows.size >= viewNotedMax || !hasRoomFor(view)) return;
    view.rows.set(key, row);
    noted.set(row.view_id, view);
    size++;
  }

  /** Where all is full, the view with the most rows gives way to one with less. */
  function hasRoomFor(view: Noted): boolean {
    if (size < notedMax) return true;
    let [largestId, most] = ['', view.rows.size + 1];
    for (const [id, { rows }] of noted) if (rows.size > most) [largestId, most] = [id, rows.size];
    if (!noted.delete(largestId)) return false;
    size -= most;
    return true;
  }

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    // So that each view is in as few batches as may be.
    const views = [...noted].sort(([a], [b]) => (a < b ? -1 : 1));
    const sorted = views.flatMap(([, { rows }]) => [...rows.values()]);
    noted = new Map();
    size = 0;
    for (let i = 0; i < sorted.length; i += batchRowsMax) {
      const batch = sorted.slice(i, i + batchRowsMax);
      try {
        await transact(db, (trx) => writeBatch(trx, batch, now()));
        failing = false;
      } catch (err) {
        if (!failing) warn({ err, rows: sorted.length - i }, 'cannot write views; trying again');
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
  const kept = await fitting(trx, rows, await lockViews(trx, views));
  if (kept.length === 0) return;
  const raised = await raisePages(trx, kept);
  if (raised.size > 0) await raiseDurations(trx, raised, now);
}

/** The rows that views, given with the number of theirs, have room for, and those they have. */
async function fitting(
  trx: Executor,
  rows: readonly ViewPageRow[],
  storedOf: ReadonlyMap<string, number>,
): Promise<ViewPageRow[]> {
  const there = rows.filter(({ view_id }) => storedOf.has(view_id));
  const added = new Map<string, number>();
  for (const { view_id } of there) added.set(view_id, (added.get(view_id) ?? 0) + 1);
  const roomOf = (id: string) => viewRowsMax - (storedOf.get(id) ?? 0);
  const isTight = ({ view_id }: ViewPageRow) => (added.get(view_id) ?? 0) > roomOf(view_id);
  const tight = there.filter(isTight);
  if (tight.length === 0) return there;
  const known = await knownRows(trx, tight);
  const taken = new Map<string, number>();
  return there.filter((row) => {
    if (!isTight(row) || known.has(rowKey(row))) return true;
    const count = (taken.get(row.view_id) ?? 0) + 1;
    taken.set(row.view_id, count);
    return count <= roomOf(row.view_id);
  });
}
