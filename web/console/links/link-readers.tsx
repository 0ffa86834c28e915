/** Who opened a link, when, and how much they read. */
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { InsightService } from '../../../gen/latchkey/sharing/v1/insight_pb.js';
import { type Link, LinkService } from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { formatDuration } from '../../../src/http/format-duration.ts';
import classes from '../readers/bar-chart.module.css';
import { type Bar, BarChart, longestBar } from '../readers/bar-chart.tsx';
import { InsightFigures } from '../readers/insight-figures.tsx';
import { sumPageTimes } from '../readers/page-times.ts';
import { ReadersSection } from '../readers/readers-section.tsx';
import { ReadersTable } from '../readers/readers-table.tsx';
import { useInsight } from '../readers/use-insight.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { isEmptyList } from '../shared/listing.tsx';
import { usePagedList } from '../shared/use-paged-list.ts';
import { type LatestViews, latestViewsMax, useLatestViews } from './latest-views.ts';
import { countPerPeriod, type PeriodCounts } from './views-per-period.ts';

export type LinkReadersProps = {
  readonly link: Link;
  readonly document: Document | undefined;
};

/** The charts and the settings stay within reach. */
const shownReaders = 20;

export function LinkReaders({ link, document }: LinkReadersProps) {
  const { workspaceId, id: linkId, revokeTime } = link;
  const pageCount = document?.pageCount ?? 0;
  const list = usePagedList(
    LinkService.method.listLinkViews,
    { workspaceId, linkId, pageSize: shownReaders },
    ({ views }) => views,
    { isLive: true },
  );
  const { insight, error, retry } = useInsight(
    InsightService.method.getLinkInsight,
    { workspaceId, linkId },
    { total: list.search?.text === '' ? list.total : undefined },
  );
  return (
    <>
      {error === null ? null : <ErrorAlert error={error} retry={retry} />}
      <InsightFigures insight={insight} viewCount={link.viewCount} />
      <ReadersSection
        path={`/links/${linkId}`}
        workspaceId={workspaceId}
        name={link.name || document?.name || 'Link'}
        hasViews={!isEmptyList(list)}
      >
        <ReadersTable
          list={list}
          pageCount={pageCount}
          emptyText={
            revokeTime === undefined
              ? 'Send the URL to someone. New views appear here within a few seconds.'
              : 'The link was revoked before anyone opened it.'
          }
        />
        <Charts link={link} pageCount={pageCount} />
      </ReadersSection>
    </>
  );
}

type ChartsProps = { readonly link: Link; readonly pageCount: number };

function Charts({ link: { workspaceId, id }, pageCount }: ChartsProps) {
  const { data, error, refetch } = useLatestViews({ workspaceId, linkId: id });
  if (error !== null) return <ErrorAlert error={error} retry={() => void refetch()} />;
  if (data === undefined || data.views.length === 0) return null;
  return (
    <div className={classes.charts}>
      <PerDay {...data} />
      <PerPage {...data} pageCount={pageCount} />
    </div>
  );
}

const scopeNote = ({ hasMore }: LatestViews) =>
  hasMore ? ` Based on the latest ${latestViewsMax.toLocaleString()} views.` : '';

function PerDay(latest: LatestViews) {
  const times = latest.views.map(({ createTime }) =>
    createTime === undefined ? 0 : timestampMs(createTime),
  );
  const { period, bars } = countPerPeriod(times, Date.now());
  return (
    <BarChart
      title={`Views per ${period.name}`}
      summary={`${summarize(times.length, period, longestBar(bars))}${scopeNote(latest)}`}
      bars={bars}
      columns={[capitalized(period.name), 'Views']}
    />
  );
}

function summarize(
  count: number,
  { preposition }: PeriodCounts['period'],
  longest: Bar | undefined,
): string {
  if (longest === undefined || count === 0) return '';
  const views = count === 1 ? '1 view' : `${count.toLocaleString()} views`;
  const when = `${preposition} ${longest.label}.`;
  if (longest.value < count) return `${views}. Peak: ${longest.text} ${when}`;
  return count === 1 ? `${views} ${when}` : `${views}, all ${when}`;
}

const capitalized = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

function PerPage({ pageCount, ...latest }: LatestViews & { readonly pageCount: number }) {
  const bars = sumPageTimes(latest.views, pageCount);
  const longest = longestBar(bars);
  if (longest === undefined) return null;
  const sum = bars.reduce((ms, { value }) => ms + value, 0);
  const most = `Longest: ${longest.text} on ${longest.phrase}.`;
  return (
    <BarChart
      title="Time per page"
      summary={`Total: ${formatDuration(sum)}. ${most}${scopeNote(latest)}`}
      bars={bars}
      columns={['Page', 'Time']}
    />
  );
}
