/** FigureRow and charts about the readers of a document. */
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { useQuery } from '@connectrpc/connect-query';
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { type Insight, InsightService } from '../../../gen/latchkey/sharing/v1/insight_pb.js';
import classes from '../links/views/bar-chart.module.css';
import { BarChart, longestBar } from '../links/views/bar-chart.tsx';
import { formatDuration } from '../links/views/format-duration.ts';
import { sumPageTimes } from '../links/views/page-times.ts';
import { useHasScope } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { FigureRow } from '../shared/figure-row.tsx';
import { pageCountText } from './document-labels.ts';

export function DocumentInsight({ document }: { readonly document: Document }) {
  const { workspaceId, id: documentId, pageCount } = document;
  const mayRead = useHasScope()('links:read');
  const { getDocumentInsight } = InsightService.method;
  const request = { workspaceId, documentId };
  const { data, error, refetch } = useQuery(getDocumentInsight, request, { enabled: mayRead });
  const insight = data?.insight;
  if (error !== null) return <ErrorAlert error={error} retry={() => void refetch()} />;
  return (
    <>
      <FigureRow figures={figuresOf(document, mayRead ? insight : undefined)} />
      {insight === undefined || insight.viewCount === 0 ? null : (
        <div className={classes.charts}>
          <ViewsPerDay insight={insight} />
          {pageCount > 1 ? <TimePerPage insight={insight} pageCount={pageCount} /> : null}
        </div>
      )}
    </>
  );
}

function figuresOf({ viewCount, lastViewTime, pageCount }: Document, insight?: Insight) {
  return [
    { name: 'Views', value: viewCount.toLocaleString() },
    ...(insight === undefined
      ? [
          { name: 'Last viewed', value: <DateTime time={lastViewTime} /> },
          { name: 'Pages', value: pageCountText(pageCount) },
        ]
      : [
          { name: 'Visitors', value: insight.visitorCount.toLocaleString() },
          { name: 'Average time', value: timeText(insight) },
          { name: 'Completion', value: shareText(insight.completion) },
        ]),
  ];
}

const timeText = ({ averageDurationMs }: Insight) =>
  averageDurationMs === 0 ? '—' : formatDuration(averageDurationMs);

const shareText = (share: number | undefined) =>
  share === undefined ? '—' : `${Math.round(share * 100)}%`;

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

type TimePerPageProps = { readonly insight: Insight; readonly pageCount: number };

function TimePerPage({ insight: { pages }, pageCount }: TimePerPageProps) {
  const times = pages.map(({ page, viewCount, averageDurationMs }) => ({
    ...{ page, durationMs: viewCount * averageDurationMs },
  }));
  const bars = sumPageTimes([{ pages: times }], pageCount);
  const longest = longestBar(bars);
  if (longest === undefined) return null;
  return (
    <BarChart
      title="Time per page"
      summary={`All readers together. Longest: ${longest.text} on ${longest.phrase}.`}
      bars={bars}
      columns={['Page', 'Time']}
    />
  );
}
