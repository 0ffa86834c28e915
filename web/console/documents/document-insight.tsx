/** Who read a document, which pages, for how long, and when. */
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { InsightService } from '../../../gen/latchkey/sharing/v1/insight_pb.js';
import { LinkName } from '../links/link-name.tsx';
import type { DrawPage } from '../readers/heat-strip.tsx';
import { InsightFigures } from '../readers/insight-figures.tsx';
import { ReadersSection } from '../readers/readers-section.tsx';
import { ReadersTable, readerColumns } from '../readers/readers-table.tsx';
import { TimePerPage } from '../readers/time-per-page.tsx';
import { useInsight } from '../readers/use-insight.ts';
import { ViewsPerDay } from '../readers/views-per-day.tsx';
import { useHasScope } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { FigureRow } from '../shared/figure-row.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { isEmptyList } from '../shared/lists/listing.tsx';
import { pageCountText } from './document-labels.ts';

export type DocumentInsightProps = {
  readonly document: Document;
  /** Draws the pages of the document; unset until they are loaded. */
  readonly draw: DrawPage | undefined;
};

export function DocumentInsight(props: DocumentInsightProps) {
  const mayRead = useHasScope()('links:read');
  if (mayRead) return <Readers {...props} />;
  const { viewCount, lastViewTime, pageCount } = props.document;
  return (
    <FigureRow
      figures={[
        { name: 'Views', value: viewCount.toLocaleString() },
        { name: 'Last viewed', value: <DateTime time={lastViewTime} /> },
        { name: 'Pages', value: pageCountText(pageCount) },
      ]}
    />
  );
}

/** The links and the preview stay within reach. */
const shownReaders = 10;

const documentViews = defineList({
  label: 'Views',
  method: InsightService.method.listDocumentViews,
  rows: (page) => page.views,
  request: (at: { readonly workspaceId: string; readonly documentId: string }) => ({
    ...at,
    pageSize: shownReaders,
  }),
  columns: readerColumns({
    title: 'Link',
    isFree: true,
    cell: (view) => <LinkName view={view} />,
  }),
  isLive: true,
});

function Readers({ document, draw }: DocumentInsightProps) {
  const { workspaceId, id: documentId, pageCount, name, viewCount } = document;
  const list = useList(documentViews, { workspaceId, documentId });
  const { getDocumentInsight } = InsightService.method;
  const { insight, error, retry } = useInsight(
    getDocumentInsight,
    { workspaceId, documentId },
    { total: list.search?.query === '' ? list.total : undefined },
  );
  const isRead = insight !== undefined && insight.viewCount > 0;
  return (
    <>
      {error === null ? null : <ErrorAlert error={error} retry={retry} />}
      <InsightFigures insight={insight} viewCount={viewCount} />
      {isRead ? <TimePerPage insight={insight} draw={draw} /> : null}
      <ReadersSection
        path={`/documents/${documentId}`}
        workspaceId={workspaceId}
        name={name}
        hasViews={!isEmptyList(list)}
      >
        <ReadersTable
          list={list}
          pageCount={pageCount}
          emptyText="Share the document. You see here who opens it and which pages they read."
        />
        {isRead ? <ViewsPerDay insight={insight} /> : null}
      </ReadersSection>
    </>
  );
}
