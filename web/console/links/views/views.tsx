/** Who has opened a link, when and for how long. */
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Link } from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { Problem } from '../../parts/problem.tsx';
import { Section } from '../../parts/section.tsx';
import classes from './bar-chart.module.css';
import { type Bar, BarChart, greatestOf } from './bar-chart.tsx';
import { type PerSpan, perSpan } from './days.ts';
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
  return (
    <BarChart
      title={`Views per ${span.name}`}
      summary={`${sumOf(times.length, span, greatestOf(bars))}${ofThem(latest)}`}
      bars={bars}
      columns={[capitalized(span.name), 'Views']}
    />
  );
}

function sumOf(count: number, { at }: PerSpan['span'], greatest: Bar | undefined): string {
  if (greatest === undefined || count === 0) return '';
  const views = count === 1 ? '1 view' : `${count.toLocaleString()} views`;
  const most = `${at} ${greatest.label}.`;
  if (greatest.value < count) return `${views}. The most: ${greatest.text}, ${most}`;
  return count === 1 ? `${views}, ${most}` : `${views}, all ${most}`;
}

const capitalized = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

function PerPage({ pageCount, ...latest }: LatestViews & { readonly pageCount: number }) {
  const bars = pageTimes(latest.views, pageCount);
  const greatest = greatestOf(bars);
  if (greatest === undefined) return null;
  const sum = bars.reduce((ms, { value }) => ms + value, 0);
  const most = `The most: ${greatest.text}, on ${greatest.called}.`;
  return (
    <BarChart
      title="Time per page"
      summary={`${durationText(sum)} in all views together. ${most}${ofThem(latest)}`}
      bars={bars}
      columns={['Page', 'Time']}
    />
  );
}
