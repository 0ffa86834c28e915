/** Who read a document, which pages, for how long, and when. */
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Paper, Text, Title } from '@mantine/core';
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type Insight, InsightService } from '../../../gen/latchkey/sharing/v1/insight_pb.js';
import type { LinkView } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { formatDuration } from '../../../src/http/format-duration.ts';
import { LinkName } from '../links/link-name.tsx';
import { BarChart, longestBar } from '../readers/bar-chart.tsx';
import { type DrawPage, type HeatCell, HeatStrip } from '../readers/heat-strip.tsx';
import { InsightFigures } from '../readers/insight-figures.tsx';
import { ReadersSection } from '../readers/readers-section.tsx';
import { ReadersTable } from '../readers/readers-table.tsx';
import { useInsight } from '../readers/use-insight.ts';
import { useHasScope } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { FigureRow } from '../shared/figure-row.tsx';
import { isEmptyList } from '../shared/listing.tsx';
import { usePagedList } from '../shared/use-paged-list.ts';
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

function Readers({ document, draw }: DocumentInsightProps) {
  const { workspaceId, id: documentId, pageCount, name, viewCount } = document;
  const list = usePagedList(
    InsightService.method.listDocumentViews,
    { workspaceId, documentId, pageSize: shownReaders },
    ({ views }) => views,
    { isLive: true },
  );
  const { getDocumentInsight } = InsightService.method;
  const { insight, error, retry } = useInsight(
    getDocumentInsight,
    { workspaceId, documentId },
    { total: list.search?.text === '' ? list.total : undefined },
  );
  const linkOf = (view: LinkView) => (
    <LinkName workspaceId={workspaceId} view={view} documentName={name} />
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
          linkOf={linkOf}
          emptyText="Share the document. You see here who opens it and which pages they read."
        />
        {isRead ? <ViewsPerDay insight={insight} /> : null}
      </ReadersSection>
    </>
  );
}

type TimePerPageProps = Pick<DocumentInsightProps, 'draw'> & { readonly insight: Insight };

function TimePerPage({ insight: { pages, coveredViewCount }, draw }: TimePerPageProps) {
  const cells = pages.map(({ page, averageDurationMs, viewCount }): HeatCell => {
    const text = viewCount === 0 ? '—' : formatDuration(averageDurationMs);
    return { page, value: averageDurationMs, text, note: viewsText(viewCount) };
  });
  const longest = longestBar(cells);
  if (longest === undefined || cells.length < 2) return null;
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="time-per-page">
      <Title order={2} size="h3" id="time-per-page">
        Time per page
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Average of {viewsText(coveredViewCount)}. Longest: page {longest.page}, {longest.text}.
      </Text>
      <HeatStrip label="Time per page" cells={cells} draw={draw} />
    </Paper>
  );
}

const viewsText = (count: number) => (count === 1 ? '1 view' : `${count.toLocaleString()} views`);

// The service counts by days in UTC.
const dayText = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const shortDayText = new Intl.DateTimeFormat(undefined, {
  ...{ day: 'numeric', month: 'short', timeZone: 'UTC' },
});

function ViewsPerDay({ insight: { days } }: { readonly insight: Insight }) {
  const bars = days.map(({ startTime, viewCount }) => {
    const day = startTime === undefined ? new Date() : timestampDate(startTime);
    return {
      ...{ label: dayText.format(day), shortLabel: shortDayText.format(day) },
      ...{ value: viewCount, text: viewCount.toLocaleString() },
    };
  });
  const views = bars.reduce((sum, { value }) => sum + value, 0);
  const longest = longestBar(bars);
  const peak = longest === undefined ? '' : ` Peak: ${longest.text} on ${longest.label}.`;
  return (
    <BarChart
      title="Views per day"
      summary={`${views.toLocaleString()} in the last ${bars.length} days.${peak}`}
      bars={bars}
      columns={['Day', 'Views']}
    />
  );
}
