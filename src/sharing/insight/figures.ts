// Computes the figures of the newest views.
import { viewerKindOf } from '../../base/http/viewer-kinds.ts';
import type { DocumentVersionRow, ViewRow } from '../../storage/schema/schema.ts';
import type { PageTime, ViewWithPages } from '../views/views.ts';

const viewsMax = 10_000;
const pageRowsMax = 100_000;
const pagesMax = 2_000;

/** A page that was visible for a shorter time was not read. */
const readMsMin = 1_000;

export const isRead = ({ durationMs }: PageTime) => durationMs >= readMsMin;

/** A version of a document, of which the readers see pages. */
export type PagedVersion = Pick<DocumentVersionRow, 'content_type' | 'page_count'>;

/** Returns 0 if the number of pages is not known, such as that of a deleted version. */
export function pageCountOf(version: PagedVersion | undefined): number {
  if (version === undefined) return 0;
  const { content_type, page_count } = version;
  if (page_count > 0 || content_type === 'application/pdf') return page_count;
  return viewerKindOf(content_type) === undefined ? 0 : 1;
}

/** Each view without an address has another visitor. */
export const visitorOf = ({ id, email }: Pick<ViewRow, 'id' | 'email'>) =>
  email === '' ? id : email.toLowerCase();

export type ViewFigures = {
  readonly coveredViewCount: number;
  readonly visitorCount: number;
  readonly visitCount: number;
  readonly averageDurationMs: number;
  readonly downloadCount: number;
};

/** Calls `each` for the newest views, and returns their sums. */
export async function sumViews(
  slices: AsyncIterable<readonly ViewWithPages[]>,
  each: (view: ViewWithPages) => void,
): Promise<ViewFigures> {
  const visitors = new Set<string>();
  const sums = { views: 0, visits: 0, durationMs: 0, downloads: 0, rows: 0 };
  for await (const slice of slices) {
    for (const viewed of slice.slice(0, viewsMax - sums.views)) {
      const { view, visitCount, pages } = viewed;
      visitors.add(visitorOf(view));
      sums.views += 1;
      sums.visits += visitCount;
      sums.durationMs += view.duration_ms;
      sums.downloads += view.download_count;
      sums.rows += pages.length;
      each(viewed);
    }
    if (sums.views >= viewsMax || sums.rows >= pageRowsMax) break;
  }
  return {
    coveredViewCount: sums.views,
    visitorCount: visitors.size,
    visitCount: sums.visits,
    averageDurationMs: averageOf(sums.durationMs, sums.views),
    downloadCount: sums.downloads,
  };
}

export type Figures = ViewFigures & {
  readonly completion?: number;
  readonly pages: { page: number; viewCount: number; averageDurationMs: number }[];
};

export async function computeFigures(
  slices: AsyncIterable<readonly ViewWithPages[]>,
  pageCount: number,
): Promise<Figures> {
  const byPage = new Map<number, { views: number; durationMs: number }>();
  let readPages = 0;
  const figures = await sumViews(slices, ({ pages }) => {
    const read = pages.filter(isRead);
    readPages += read.length;
    for (const { page, durationMs } of read) {
      const known = byPage.get(page) ?? { views: 0, durationMs: 0 };
      byPage.set(page, { views: known.views + 1, durationMs: known.durationMs + durationMs });
    }
  });
  const possible = figures.coveredViewCount * pageCount;
  const last = pageCount === 0 ? Math.max(0, ...byPage.keys()) : pageCount;
  return {
    ...figures,
    ...(possible === 0 ? {} : { completion: Math.min(1, readPages / possible) }),
    pages: Array.from({ length: Math.min(last, pagesMax) }, (_, index) => {
      const { views = 0, durationMs = 0 } = byPage.get(index + 1) ?? {};
      const averageDurationMs = averageOf(durationMs, views);
      return { page: index + 1, viewCount: views, averageDurationMs };
    }),
  };
}

export const averageOf = (sum: number, count: number) =>
  count === 0 ? 0 : Math.round(sum / count);
