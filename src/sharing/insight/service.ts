import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { InsightService } from '../../../gen/latchkey/sharing/v1/insight_pb.js';
import { actingClientOf, userOf } from '../../api/principal.ts';
import { repeatAccessCheck, workspaceOf } from '../../api/workspace.ts';
import type { Clock } from '../../base/clock.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { transact } from '../../storage/database.ts';
import type { Database } from '../../storage/schema/schema.ts';
import type { Documents } from '../documents/documents.ts';
import type { Links } from '../links/links.ts';
import { findPageCounts, type StoredDocument } from '../queries/document-versions.ts';
import { countViewsIn, type ViewScope } from '../queries/view-scopes.ts';
import type { Views } from '../views/views.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { isTimeZone, startsOfDays } from './days.ts';
import { computeFigures, pageCountOf } from './figures.ts';
import { computeRoomFigures } from './room-figures.ts';
import { countViewsByDay, findLastNoticed, findReadTime, storeReadTime } from './store.ts';
import { csvHeader, csvLines } from './views-csv.ts';

export type InsightOptions = {
  readonly db: Database;
  readonly documents: Pick<Documents, 'require'>;
  readonly links: Pick<Links, 'require'>;
  readonly views: Pick<Views, 'list' | 'read' | 'describe'>;
  readonly workspaces: Workspaces;
  readonly now: Clock;
};

type Subject = {
  readonly scope: Omit<ViewScope, 'version'>;
  /** Undefined for a link to a folder. */
  readonly document: StoredDocument | undefined;
  /** The version that the document or the link shows; 0 for a link to a folder. */
  readonly version: number;
  /** The name of the document or the folder, or of the link if it has one. */
  readonly name: string;
  readonly viewCount: number;
};

const readTimeField = (time: number) => ({ readTime: timestampFromMs(time) });

type WantedDays = { readonly dayCount: number; readonly timeZone: string };

type Wanted = WantedDays & { readonly version: number };

const dayCountDefault = 30;

const noticesMax = 20;

export function createInsightService(options: InsightOptions): ServiceImpl<typeof InsightService> {
  const { db, documents, links, views, workspaces, now } = options;

  async function ofDocument(workspaceId: string, id: string): Promise<Subject> {
    const document = await documents.require(workspaceId, id);
    const scope = { column: 'document_id', id } as const;
    const { version, name, view_count: viewCount } = document;
    return { scope, document, version, name, viewCount };
  }

  async function ofLink(workspaceId: string, id: string): Promise<Subject> {
    const link = await links.require(workspaceId, id);
    const scope = { column: 'link_id', id } as const;
    const viewCount = link.view_count;
    if (link.document_id === null) {
      const name = link.name || 'folder';
      return { scope, document: undefined, version: 0, name, viewCount };
    }
    const document = await documents.require(workspaceId, link.document_id);
    const version = link.pinned_version ?? document.version;
    const name = link.name === '' ? document.name : link.name;
    return { scope, document, version, name, viewCount };
  }

  async function insightOf({ document, ...subject }: Subject, wanted: Wanted) {
    if (document === undefined) return roomInsightOf(subject, wanted);
    const version = wanted.version || subject.version;
    const scope = { ...subject.scope, version };
    const days = await daysOf(scope, wanted);
    const shown = (await findPageCounts(db, document.id)).get(version);
    const figures = await computeFigures(views.read(scope), pageCountOf(shown));
    const isOnly = document.last_version === 1;
    const viewCount = isOnly ? subject.viewCount : await countViewsIn(db, scope);
    return { viewCount, ...figures, days, version };
  }

  /** The figures of a room cover all documents and versions. */
  async function roomInsightOf(subject: Omit<Subject, 'document'>, wanted: Wanted) {
    if (wanted.version !== 0) throw invalid('version', 'must be unset for a link to a folder');
    const scope = { ...subject.scope, version: 0 };
    const days = await daysOf(scope, wanted);
    const figures = await computeRoomFigures(views.read(scope));
    return { ...figures, viewCount: subject.viewCount, days, version: 0 };
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

  async function* exportOf(
    { document, name, ...subject }: Subject,
    version: number,
    context: HandlerContext,
  ) {
    const scope = { ...subject.scope, version };
    const workspaceId = workspaceOf(context);
    const value = { name: `${name} views.csv`, contentType: 'text/csv; charset=utf-8' };
    yield { part: { case: 'header', value: { ...value, generated: true } } } as const;
    yield { part: { case: 'chunk', value: csvHeader() } } as const;
    const versions = document === undefined ? undefined : await findPageCounts(db, document.id);
    const pagesIn = (shown: number) => pageCountOf(versions?.get(shown));
    for await (const slice of views.read(scope)) {
      yield { part: { case: 'chunk', value: csvLines(slice, pagesIn) } } as const;
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
      const subject = await ofDocument(workspaceOf(context), request.documentId);
      const scope = { ...subject.scope, version: request.version };
      const { rows, ...page } = await views.list(scope, request, context.signal);
      return { views: rows, ...page };
    },

    async getNotices(_, context) {
      const { userId } = userOf(context);
      const creator = { workspaceId: workspaceOf(context), userId };
      const found = await views.describe(await findLastNoticed(db, creator, noticesMax));
      const readTime = await findReadTime(db, creator);
      return { views: found, ...(readTime === undefined ? {} : readTimeField(readTime)) };
    },

    async markNoticesRead({ readTime }, context) {
      const caller = userOf(context);
      // The scope is that of reading, which a person may give to any program.
      if (actingClientOf(caller) !== '') {
        throw fail('forbidden', 'This method does not accept tokens from a token exchange.');
      }
      const { userId } = caller;
      const reader = { workspaceId: workspaceOf(context), userId };
      await workspaces.require(reader.workspaceId);
      const time = now();
      const seen = readTime === undefined ? time : Math.min(time, timestampMs(readTime));
      return transact(db, async (trx) => {
        await storeReadTime(trx, reader, seen);
        return readTimeField((await findReadTime(trx, reader)) ?? seen);
      });
    },

    async *exportDocumentViews({ documentId, version }, context) {
      yield* exportOf(await ofDocument(workspaceOf(context), documentId), version, context);
    },

    async *exportLinkViews({ linkId, version }, context) {
      yield* exportOf(await ofLink(workspaceOf(context), linkId), version, context);
    },
  };
}
