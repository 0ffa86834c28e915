import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Link } from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { ErrorAlert } from '../../shared/error-alert.tsx';
import { Section } from '../../shared/section.tsx';
import classes from './bar-chart.module.css';
import { type Bar, BarChart, longestBar } from './bar-chart.tsx';
import { formatDuration } from './format-duration.ts';
import { type LatestViews, latestViewsMax, useLatestViews } from './latest-views.ts';
import { sumPageTimes } from './page-times.ts';
import { countPerPeriod, type PeriodCounts } from './views-per-period.ts';
import { ViewsTable } from './views-table.tsx';

export type ViewsSectionProps = {
  readonly link: Link;
  /** 0 if unknown. */
  readonly pageCount: number;
};

export function ViewsSection({ link, pageCount }: ViewsSectionProps) {
  return (
    <Section title="Views">
      <Charts link={link} pageCount={pageCount} />
      <ViewsTable link={link} />
    </Section>
  );
}

function Charts({ link: { workspaceId, id }, pageCount }: ViewsSectionProps) {
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
