/** How much of a document people read, and who read it last. */
import { Text } from '@mantine/core';
import type { Document } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { InsightService } from '../../../../gen/latchkey/sharing/v1/insight_pb.js';
import { InsightFigures } from '../../readers/insight-figures.tsx';
import { ReadersTable } from '../../readers/readers-table.tsx';
import { TimePerPage } from '../../readers/time-per-page.tsx';
import { useInsight } from '../../readers/use-insight.ts';
import { ViewsPerDay } from '../../readers/views-per-day.tsx';
import { useHasScope } from '../../session/session-context.tsx';
import { DateTime } from '../../shared/date-time.tsx';
import { ErrorAlert } from '../../shared/error-alert.tsx';
import { FigureRow } from '../../shared/figure-row.tsx';
import { useList } from '../../shared/lists/define-list.ts';
import { TextLink } from '../../shared/router-links.tsx';
import { Section } from '../../shared/section.tsx';
import { pageCountText } from '../document-labels.ts';
import { usePagePictures } from '../preview/use-page-pictures.ts';
import { useShownDocument } from '../shown-document.ts';
import { emptyText, recentViews } from './document-views.tsx';

export function OverviewTab() {
  const document = useShownDocument();
  const mayRead = useHasScope()('links:read');
  if (mayRead) return <Reading document={document} />;
  const { viewCount, lastViewTime, pageCount } = document;
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

function Reading({ document }: { readonly document: Document }) {
  const { workspaceId, id: documentId, viewCount } = document;
  const params = { workspaceId, documentId };
  const list = useList(recentViews, params);
  const { getDocumentInsight } = InsightService.method;
  const { insight, error, retry } = useInsight(getDocumentInsight, params, { total: list.total });
  const isRead = insight !== undefined && insight.viewCount > 0;
  const draw = usePagePictures(isRead && insight.pages.length > 1 ? document : undefined);
  const readers = '/workspaces/$workspaceId/documents/$documentId/readers';
  return (
    <>
      <ErrorAlert error={error} retry={retry} />
      <InsightFigures insight={insight} viewCount={viewCount} />
      {document.viewable ? null : (
        <Text size="sm" c="dimmed">
          Readers can only download this file.{' '}
          <TextLink to="/workspaces/$workspaceId/documents/$documentId/preview" params={params}>
            Why there is no preview
          </TextLink>
        </Text>
      )}
      {isRead ? <TimePerPage insight={insight} draw={draw} /> : null}
      <Section
        title="Recent readers"
        actions={
          <TextLink to={readers} params={params}>
            All readers
          </TextLink>
        }
      >
        <ReadersTable
          // “All readers” has the search and the other rows.
          list={{ ...list, search: undefined, order: undefined, total: undefined, hasMore: false }}
          document={document}
          emptyText={emptyText}
        />
        {isRead ? <ViewsPerDay insight={insight} /> : null}
      </Section>
    </>
  );
}

OverviewTab.reads = [recentViews];
