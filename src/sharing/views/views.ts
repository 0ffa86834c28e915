// Views: who opened a link, for how long, and which pages they read. A view is never longer than
// the time since its start.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { LinkViewSchema } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { takeTurn } from '../../base/limits/turns.ts';
import { type ListPage, shortenPage } from '../../storage/queries/list.ts';
import { type ListRequest, parseListRequest } from '../../storage/queries/list-request.ts';
import type { Position } from '../../storage/queries/page-token.ts';
import type { Database, StoredView, ViewRow } from '../../storage/schema/schema.ts';
import type { ViewScope, VisitorScope } from '../queries/view-scopes.ts';
import {
  countPageRows,
  findDocumentNames,
  findLinkNames,
  findViews,
  findViewsIn,
  type PageRowCount,
  type PageSum,
  sumPageDurations,
  viewLists,
} from './store.ts';

export type PageTime = { readonly page: number; readonly durationMs: number };

export type Views = {
  /** Returns a page of views. It is shorter than requested if they have many page rows. */
  list(
    scope: ViewScope | VisitorScope,
    request: ListRequest,
    signal: AbortSignal,
  ): Promise<ListPage<ViewMessage>>;
  describe(views: readonly StoredView[]): Promise<ViewMessage[]>;
  /** Reads views newest first, in slices with at most 5,000 page rows. */
  read(scope: ViewScope): AsyncGenerator<readonly ViewWithPages[]>;
};

type ViewMessage = MessageInitShape<typeof LinkViewSchema>;

export type ViewWithPages = {
  readonly view: StoredView;
  readonly linkName: string;
  readonly documentName: string;
  /** The loads of the viewer: at least one. */
  readonly visitCount: number;
  readonly pages: readonly PageTime[];
};

type PageRowCounts = ReadonlyMap<string, PageRowCount>;

const sliceMax = 100;

/** Page rows in one response. A single view may exceed this. */
const listRowsMax = 5_000;

export function createViews(db: Database): Views {
  async function pagesOf(views: readonly ViewRow[]) {
    const ids = views.map(({ id }) => id);
    const byView = new Map<string, PageSum[]>(ids.map((id) => [id, []]));
    const sums = ids.length === 0 ? [] : await sumPageDurations(db, ids);
    for (const row of sums) byView.get(row.view_id)?.push(row);
    return new Map(views.map((view) => [view.id, shareOut(byView.get(view.id) ?? [], view)]));
  }

  async function withPages(
    views: readonly StoredView[],
    counts: PageRowCounts,
  ): Promise<ViewWithPages[]> {
    const linkIds = [...new Set(views.map(({ link_id }) => link_id))];
    const documentIds = [...new Set(views.flatMap(({ document_id }) => document_id ?? []))];
    const [pages, names, documentNames] = await Promise.all([
      pagesOf(views),
      findLinkNames(db, linkIds),
      findDocumentNames(db, documentIds),
    ]);
    return views.map((view) => ({
      view,
      linkName: names.get(view.link_id) ?? '',
      documentName: documentNames.get(view.document_id ?? '') ?? '',
      // A download without the viewer is a visit, too.
      visitCount: Math.max(1, counts.get(view.id)?.visits ?? 0),
      pages: pages.get(view.id) ?? [],
    }));
  }

  return {
    async list(scope, request, signal) {
      const list = viewLists[scope.column];
      const query = parseListRequest(request, list.sorts, signal);
      const found = await findViews(db, scope, query);
      const counts = await countPageRows(db, found.rows.map(idOf));
      const page = shortenPage(found, list, query, fittingOf(found.rows, counts));
      return { ...page, rows: (await withPages(page.rows, counts)).map(viewMessage) };
    },

    async describe(rows) {
      return (await withPages(rows, await countPageRows(db, rows.map(idOf)))).map(viewMessage);
    },

    async *read(scope) {
      let after: Position | undefined;
      for (;;) {
        const found = await findViewsIn(db, scope, { limit: sliceMax - 1, after });
        const counts = await countPageRows(db, found.map(idOf));
        const slice = found.slice(0, fittingOf(found, counts));
        if (slice.length > 0) yield await withPages(slice, counts);
        const last = slice.at(-1);
        if (last === undefined || (found.length < sliceMax && slice.length === found.length))
          return;
        after = { time: last.create_time, id: last.id };
        await takeTurn();
      }
    },
  };
}

const idOf = ({ id }: ViewRow) => id;

function fittingOf(views: readonly ViewRow[], counts: PageRowCounts): number {
  let total = 0;
  const beyond = views.findIndex(({ id }, i) => {
    total += counts.get(id)?.rows ?? 0;
    return i > 0 && total > listRowsMax;
  });
  return beyond === -1 ? views.length : beyond;
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

function viewMessage({
  view,
  linkName,
  documentName,
  visitCount,
  pages,
}: ViewWithPages): ViewMessage {
  return {
    id: view.id,
    linkId: view.link_id,
    linkName,
    email: view.email,
    emailVerified: view.email_verified === 1,
    createTime: timestampFromMs(view.create_time),
    durationMs: view.duration_ms,
    pages: [...pages],
    downloadCount: view.download_count,
    visitCount,
    version: view.version ?? 0,
    documentId: view.document_id ?? '',
    documentName,
    agreementId: view.agreement_id,
    actingClientId: view.acting_client_id,
    actingClientName: view.acting_client_name,
  };
}
