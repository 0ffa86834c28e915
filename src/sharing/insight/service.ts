import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { InsightService } from '../../../gen/latchkey/sharing/v1/insight_pb.js';
import { repeatAccessCheck, workspaceOf } from '../../api/workspace.ts';
import type { Clock } from '../../clock.ts';
import type { Database, DocumentRow } from '../../storage/schema.ts';
import type { Documents } from '../documents/documents.ts';
import type { Links } from '../links/links.ts';
import type { ViewScope, Views } from '../views/views.ts';
import { computeFigures, pageCountOf } from './figures.ts';
import { countViewsByDay, dayMs } from './store.ts';
import { csvHeader, csvLines } from './views-csv.ts';

export type InsightOptions = {
  readonly db: Database;
  readonly documents: Pick<Documents, 'require'>;
  readonly links: Pick<Links, 'require'>;
  readonly views: Pick<Views, 'list' | 'read'>;
  readonly now: Clock;
};

/** The views of a document or of a link. */
type Subject = {
  readonly scope: ViewScope;
  readonly document: DocumentRow;
  /** The name of the document, or of the link if it has one. */
  readonly name: string;
  readonly viewCount: number;
};

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

  async function insightOf({ scope, document, viewCount }: Subject, dayCount: number) {
    const figures = await computeFigures(views.read(scope), pageCountOf(document));
    return { viewCount, ...figures, days: await daysOf(scope, dayCount || dayCountDefault) };
  }

  async function daysOf(scope: ViewScope, dayCount: number) {
    const first = Math.floor(now() / dayMs) - dayCount + 1;
    const counts = await countViewsByDay(db, scope, first * dayMs);
    return Array.from({ length: dayCount }, (_, index) => ({
      startTime: timestampFromMs((first + index) * dayMs),
      viewCount: counts.get(first + index) ?? 0,
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
    async getDocumentInsight({ documentId, dayCount }, context) {
      const subject = await ofDocument(workspaceOf(context), documentId);
      return { insight: await insightOf(subject, dayCount) };
    },

    async getLinkInsight({ linkId, dayCount }, context) {
      const subject = await ofLink(workspaceOf(context), linkId);
      return { insight: await insightOf(subject, dayCount) };
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
