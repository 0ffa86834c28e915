// Views: who opened a link, for how long, and which pages they read. The reader's browser reports
// totals. The largest total counts, and a view is never longer than the time since its start.
import type { Clock } from '../../clock.ts';
import { invalid } from '../../errors/errors.ts';
import { type ListPage, shortenPage } from '../../storage/list.ts';
import { type ListRequest, parseListRequest } from '../../storage/list-request.ts';
import type { Database, ViewRow } from '../../storage/schema.ts';
import type { NewViews, Reader } from './new-views.ts';
import { countPageRows, findViews, type PageSum, sumPageDurations, viewList } from './store.ts';
import type { ViewRecorder } from './view-recorder.ts';

/** The totals of one visit: one load of the viewer. */
export type ViewReport = {
  readonly visit: string;
  /** Milliseconds by page. Page 0 is the time that belongs to no page. */
  readonly pages: ReadonlyMap<number, number>;
};

export type PageTime = { readonly page: number; readonly durationMs: number };

export type Views = {
  /**
   * Accepts a report of a reader's browser. The first report creates the view. If there are too
   * many new views, the report is dropped. Throws `invalid_argument` if the durations exceed the
   * time since the link was opened.
   */
  report(reader: Reader, report: ViewReport): Promise<void>;
  /** Returns a page of a link's views. It is shorter than requested if they have many page rows. */
  list(linkId: string, request: ListRequest): Promise<ListPage<ViewRow>>;
  /** Returns the pages that were read in each view, ordered by page. */
  pagesOf(views: readonly ViewRow[]): Promise<ReadonlyMap<string, readonly PageTime[]>>;
};

export type ViewsOptions = {
  readonly db: Database;
  readonly recorder: ViewRecorder;
  readonly newViews: NewViews;
  readonly now: Clock;
};

/** Page rows in one response. A single view may exceed this. */
const listRowsMax = 5_000;

/** How far the browser's clock may run ahead of the server's within an access session. */
const driftMs = 5_000;

export function createViews({ db, recorder, newViews, now }: ViewsOptions): Views {
  return {
    async report(reader, { visit, pages }) {
      const { viewId, startMs } = reader.accessSession;
      if (sumOf(pages.values()) > now() - startMs + driftMs) {
        throw invalid('pages', 'must not exceed the time since the link was opened');
      }
      if (!(await newViews.ensure(reader))) return;
      recorder.record(
        [...pages]
          .filter(([, duration_ms]) => duration_ms > 0)
          .map(([page, duration_ms]) => ({ view_id: viewId, visit, page, duration_ms })),
      );
    },

    async list(linkId, request) {
      const query = parseListRequest(request, viewList.sorts);
      const page = await findViews(db, linkId, query);
      const ids = page.rows.map(({ id }) => id);
      const counts = ids.length === 0 ? undefined : await countPageRows(db, ids);
      let total = 0;
      const beyond = ids.findIndex((id, i) => {
        total += counts?.get(id) ?? 0;
        return i > 0 && total > listRowsMax;
      });
      return beyond === -1 ? page : shortenPage(page, viewList, query, beyond);
    },

    async pagesOf(views) {
      const ids = views.map(({ id }) => id);
      const byView = new Map<string, PageSum[]>(ids.map((id) => [id, []]));
      const sums = ids.length === 0 ? [] : await sumPageDurations(db, ids);
      for (const row of sums) byView.get(row.view_id)?.push(row);
      return new Map(views.map((view) => [view.id, shareOut(byView.get(view.id) ?? [], view)]));
    },
  };
}

/** Simultaneous visits count the same time twice, so durations are scaled to the view's. */
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
