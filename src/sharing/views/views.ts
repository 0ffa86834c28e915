// Views: who opened a link, for how long, and which pages were read. The reader's browser reports
// totals, of which the largest count, and in all no more than the time that has really passed.
import type { Clock } from '../../clock.ts';
import { invalid } from '../../errors/errors.ts';
import type { PageQuery } from '../../storage/page-token.ts';
import type { Database, ViewRow } from '../../storage/schema.ts';
import type { NewViews, Reader } from './new-views.ts';
import type { Recorder } from './recorder.ts';
import { countRows, findPages, findViews, type PageSum } from './store.ts';

/** What one visit, a page opened once, has seen by now. */
export type Report = {
  readonly visit: string;
  /** Milliseconds by page; page 0 is the time spent on no page in particular. */
  readonly pages: ReadonlyMap<number, number>;
};

export type PageTime = { readonly page: number; readonly durationMs: number };

export type Views = {
  /**
   * Accepts a report of a reader's page. The first one makes the view, unless there are too many;
   * then the report is dropped. Throws `invalid_argument` for more time than has passed.
   */
  report(reader: Reader, report: Report): Promise<void>;
  /**
   * Reads a page of a link's views, newest first, and one row more. `limit` is how many views the
   * page has room for: less than was asked for where they have many pages.
   */
  find(linkId: string, page: PageQuery): Promise<{ rows: ViewRow[]; limit: number }>;
  /** The pages of each view that were read, in their order. */
  pagesOf(views: readonly ViewRow[]): Promise<ReadonlyMap<string, readonly PageTime[]>>;
};

export type ViewsOptions = {
  readonly db: Database;
  readonly recorder: Recorder;
  readonly newViews: NewViews;
  readonly now: Clock;
};

/** One answer reads so many rows of pages, or those of one view. */
const listRowsMax = 5_000;

/** How far a browser's clock may run ahead of ours within an access session. */
const driftMs = 5_000;

export function createViews({ db, recorder, newViews, now }: ViewsOptions): Views {
  return {
    async report(reader, { visit, pages }) {
      const { viewId, startMs } = reader.accessSession;
      if (sumOf(pages.values()) > now() - startMs + driftMs) {
        throw invalid('pages', 'must not exceed the time since the link was opened');
      }
      if (!(await newViews.ensure(reader))) return;
      recorder.note(
        [...pages]
          .filter(([, duration_ms]) => duration_ms > 0)
          .map(([page, duration_ms]) => ({ view_id: viewId, visit, page, duration_ms })),
      );
    },

    async find(linkId, page) {
      const rows = await findViews(db, linkId, page);
      const ids = rows.map(({ id }) => id).slice(0, page.limit);
      const counts = ids.length === 0 ? undefined : await countRows(db, ids);
      let total = 0;
      const beyond = ids.findIndex((id, i) => {
        total += counts?.get(id) ?? 0;
        return i > 0 && total > listRowsMax;
      });
      return { rows, limit: beyond === -1 ? page.limit : beyond };
    },

    async pagesOf(views) {
      const ids = views.map(({ id }) => id);
      const byView = new Map<string, PageSum[]>(ids.map((id) => [id, []]));
      const sums = ids.length === 0 ? [] : await findPages(db, ids);
      for (const row of sums) byView.get(row.view_id)?.push(row);
      return new Map(views.map((view) => [view.id, shareOut(byView.get(view.id) ?? [], view)]));
    },
  };
}

/** Visits side by side claim the same time twice: their pages share what the view has lasted. */
function shareOut(sums: readonly PageSum[], { duration_ms: lasted }: ViewRow): PageTime[] {
  const claimed = sumOf(sums.map(({ duration_ms }) => duration_ms));
  const share = claimed > lasted ? lasted / claimed : 1;
  return sums
    .map(({ page, duration_ms }) => ({ page, durationMs: Math.floor(duration_ms * share) }))
    .filter(({ page, durationMs }) => page > 0 && durationMs > 0);
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}
