/** Who has opened a link, when and for how long. */
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Link } from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { Problem } from '../../parts/problem.tsx';
import { Section } from '../../parts/section.tsx';
import classes from './bar-chart.module.css';
import { BarChart, greatestOf } from './bar-chart.tsx';
import { perSpan } from './days.ts';
import { durationText } from './duration.ts';
import { type LatestViews, latestMax, useLatestViews } from './latest-views.ts';
import { pageTimes } from './page-times.ts';
import { ViewsTable } from './views-table.tsx';

export type ViewsProps = {
  readonly link: Link;
  /** Of the document; 0 where it is not known. */
  readonly pageCount: number;
};

export function Views({ link, pageCount }: ViewsProps) {
  return (
    <Section title="Views">
      <Charts link={link} pageCount={pageCount} />
      <ViewsTable link={link} />
    </Section>
  );
}

function Charts({ link: { workspaceId, id }, pageCount }: ViewsProps) {
  const { data, error, refetch } = useLatestViews({ workspaceId, linkId: id });
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined || data.views.length === 0) return null;
  return (
    <div className={classes.charts}>
      <PerDay {...data} />
      <PerPage {...data} pageCount={pageCount} />
    </div>
  );
}

/** What is left out is not passed over in silence. */
const ofThem = ({ hasMore }: LatestViews) =>
  hasMore ? ` Of the latest ${latestMax.toLocaleString()} views.` : '';

function PerDay(latest: LatestViews) {
  const times = latest.views.map(({ createTime }) =>
    createTime === undefined ? 0 : timestampMs(createTime),
  );
  const { span, bars } = perSpan(times, Date.now());
  const greatest = greatestOf(bars);
  const count = times.length === 1 ? '1 view' : `${times.length.toLocaleString()} views`;
  const most = greatest === undefined ? '' : `; the most, ${greatest.text}: ${greatest.label}`;
  return (
    <BarChart
      title={`Views per ${span}`}
      summary={`${count}${most}.${ofThem(latest)}`}
      bars={bars}
      columns={[`${span.slice(0, 1).toUpperCase()}${span.slice(1)}`, 'Views']}
    />
  );
}

function PerPage({ pageCount, ...latest }: LatestViews & { readonly pageCount: number }) {
  const bars = pageTimes(latest.views, pageCount);
  const greatest = greatestOf(bars);
  if (greatest === undefined) return null;
  const sum = bars.reduce((ms, { value }) => ms + value, 0);
  const longest = `the longest on ${greatest.label}, ${greatest.text}`;
  return (
    <BarChart
      title="Time per page"
      summary={`${durationText(sum)} in all views together; ${longest}.${ofThem(latest)}`}
      bars={bars}
      columns={['Page', 'Time']}
    />
  );
}
