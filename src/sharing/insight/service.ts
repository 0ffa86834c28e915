import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { InsightService } from '../../../gen/latchkey/sharing/v1/insight_pb.js';
import { repeatAccessCheck, workspaceOf } from '../../api/workspace.ts';
import type { Clock } from '../../base/clock.ts';
import { invalid } from '../../base/errors/errors.ts';
import type { Database, DocumentRow } from '../../storage/schema.ts';
import type { Documents } from '../documents/documents.ts';
import type { Links } from '../links/links.ts';
import type { ViewScope, Views } from '../views/views.ts';
import { isTimeZone, startsOfDays } from './days.ts';
import { computeFigures, pageCountOf } from './figures.ts';
import { countViewsByDay } from './store.ts';
import { csvHeader, csvLines } from './views-csv.ts';

export type InsightOptions = {
  readonly db: Database;
  readonly documents: Pick<Documents, 'require'>;
  readonly links: Pick<Links, 'require'>;
  readonly views: Pick<Views, 'list' | 'read'>;
  readonly now: Clock;
};

type Subject = {
  readonly scope: ViewScope;
  readonly document: DocumentRow;
  readonly name: string;
  readonly viewCount: number;
};

type WantedDays = { readonly dayCount: number; readonly timeZone: string };

const dayCountDefault = 30;

export function createInsightService(options: InsightOptions): ServiceImpl<typeof InsightService> {
  const { db, documents, links, views, now } = options;

  async function ofDocument(workspaceId: string, id: string): Promise<Subject> {
    const document = await documents.require(workspaceId, id);
    const scope = { column: 'document_id', id } as const;
    return { scope, document, name: document.name, viewCount: document.view_count };
  }

  async function ofLink(workspaceId: string, id: string): Promise<Subject> {
    const link = await links.require(workspaceId, id);
    const document = await documents.require(workspaceId, link.document_id);
    const name = link.name === '' ? document.name : link.name;
    return { scope: { column: 'link_id', id }, document, name, viewCount: link.view_count };
  }

  async function insightOf({ scope, document, viewCount }: Subject, wanted: WantedDays) {
    const days = await daysOf(scope, wanted);
    const figures = await computeFigures(views.read(scope), pageCountOf(document));
    return { viewCount, ...figures, days };
  }

  async function daysOf(scope: ViewScope, { dayCount, timeZone }: WantedDays) {
    const zone = timeZone || 'UTC';
    if (!isTimeZone(zone)) throw invalid('time_zone', 'must be the IANA name of a time zone');
    const starts = startsOfDays(zone, dayCount || dayCountDefault, now());
    const counts = await countViewsByDay(db, scope, starts);
    return starts.map((start, i) => ({
      startTime: timestampFromMs(start),
      viewCount: counts[i] ?? 0,
    }));
  }

  async function* exportOf({ scope, document, name }: Subject, context: HandlerContext) {
    const workspaceId = workspaceOf(context);
    const value = { name: `${name} views.csv`, contentType: 'text/csv; charset=utf-8' };
    yield { part: { case: 'header', value: { ...value, generated: true } } } as const;
    yield { part: { case: 'chunk', value: csvHeader() } } as const;
    const pageCount = pageCountOf(document);
    for await (const slice of views.read(scope)) {
      yield { part: { case: 'chunk', value: csvLines(slice, pageCount) } } as const;
      // A long export ends when the caller loses access.
      await repeatAccessCheck(context, workspaceId);
    }
  }

  return {
    async getDocumentInsight({ documentId, ...days }, context) {
      const subject = await ofDocument(workspaceOf(context), documentId);
      return { insight: await insightOf(subject, days) };
    },

    async getLinkInsight({ linkId, ...days }, context) {
      const subject = await ofLink(workspaceOf(context), linkId);
      return { insight: await insightOf(subject, days) };
    },

    async listDocumentViews(request, context) {
      const { scope } = await ofDocument(workspaceOf(context), request.documentId);
      const { rows, ...page } = await views.list(scope, request, context.signal);
      return { views: rows, ...page };
    },

    async *exportDocumentViews({ documentId }, context) {
      yield* exportOf(await ofDocument(workspaceOf(context), documentId), context);
    },

    async *exportLinkViews({ linkId }, context) {
      yield* exportOf(await ofLink(workspaceOf(context), linkId), context);
    },
  };
}
