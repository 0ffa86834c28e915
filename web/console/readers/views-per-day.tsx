/** The views of each day in the time zone of the browser, of a document or of a link. */
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Insight } from '../../../gen/latchkey/sharing/v1/insight_pb.js';
import { BarChart, longestBar } from '../shared/bar-chart.tsx';
import { timeZone } from './use-insight.ts';

const dayText = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone });
const shortDayText = new Intl.DateTimeFormat(undefined, {
  ...{ day: 'numeric', month: 'short', timeZone },
});

export function ViewsPerDay({ insight: { days } }: { readonly insight: Insight }) {
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
      summary={
        `${views.toLocaleString()} in the last ${bars.length} days.${peak} ` +
        `Time zone: ${timeZone.replaceAll('_', ' ')}.`
      }
      bars={bars}
      columns={['Day', 'Views']}
    />
  );
}
