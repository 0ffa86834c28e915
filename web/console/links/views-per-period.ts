/** Counts views per day in the local time zone, or per longer period if there are many days. */
import type { Bar } from '../readers/bar-chart.tsx';

/** More bars would be too thin on a phone. */
const barsMax = 62;
/** Shows at least this many days, so that a single day does not fill the chart. */
const daysMin = 14;

const format = (options: Intl.DateTimeFormatOptions) => {
  const { format: text } = new Intl.DateTimeFormat(undefined, options);
  return (date: Date) => text(date);
};
const dayText = format({ dateStyle: 'medium' });
const shortDayText = format({ day: 'numeric', month: 'short' });
const monthText = format({ month: 'long', year: 'numeric' });
const shortMonthText = format({ month: 'short', year: '2-digit' });
const yearText = format({ year: 'numeric' });

export type Period = {
  readonly name: 'day' | 'week' | 'month' | 'year';
  /** The start of the period that lies `after` periods later than the period of `date`. */
  readonly start: (date: Date, after: number) => Date;
  readonly label: (start: Date) => string;
  readonly shortLabel: (start: Date) => string;
  /** The preposition before the label. */
  readonly preposition: string;
};

// Days have 23 to 25 hours, so only calendar arithmetic is correct.
const periods: readonly Period[] = [
  {
    name: 'day',
    start: (date, after) => new Date(date.getFullYear(), date.getMonth(), date.getDate() + after),
    label: dayText,
    shortLabel: shortDayText,
    preposition: 'on',
  },
  {
    name: 'week',
    start: (date, after) => {
      const sinceMonday = (date.getDay() + 6) % 7;
      const day = date.getDate() - sinceMonday + 7 * after;
      return new Date(date.getFullYear(), date.getMonth(), day);
    },
    label: (start) => `week of ${dayText(start)}`,
    shortLabel: shortDayText,
    preposition: 'in the',
  },
  {
    name: 'month',
    start: (date, after) => new Date(date.getFullYear(), date.getMonth() + after),
    label: monthText,
    shortLabel: shortMonthText,
    preposition: 'in',
  },
  {
    name: 'year',
    start: (date, after) => new Date(date.getFullYear() + after, 0),
    label: yearText,
    shortLabel: yearText,
    preposition: 'in',
  },
];

export type PeriodCounts = {
  readonly period: Pick<Period, 'name' | 'preposition'>;
  readonly bars: readonly Bar[];
};

/** Counts times, in milliseconds since 1970, in the shortest period that fits the chart. */
export function countPerPeriod(times: readonly number[], now: number): PeriodCounts {
  const latest = new Date(times.reduce((one, other) => Math.max(one, other), now));
  const earliest = new Date(times.reduce((one, other) => Math.min(one, other), now));
  for (const period of periods) {
    const starts = startsOf(period, earliest, latest);
    if (starts !== undefined) return { period, bars: barsOf(period, starts, times) };
  }
  throw new RangeError('no period is long enough');
}

/** The starts of all periods between two dates; undefined if there are too many. */
function startsOf(period: Period, earliest: Date, latest: Date): Date[] | undefined {
  const starts: Date[] = [];
  const shown = period.name === 'day' ? daysMin : 1;
  for (let before = 0; ; before++) {
    const start = period.start(latest, -before);
    starts.unshift(start);
    if (start <= earliest && starts.length >= shown) return starts;
    if (starts.length >= barsMax && period.name !== 'year') return undefined;
  }
}

function barsOf(period: Period, starts: readonly Date[], times: readonly number[]): Bar[] {
  const counts = new Map<number, number>();
  for (const time of times) {
    const start = period.start(new Date(time), 0).getTime();
    counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  return starts.map((start) => {
    const value = counts.get(start.getTime()) ?? 0;
    return {
      ...{ label: period.label(start), shortLabel: period.shortLabel(start) },
      ...{ value, text: String(value) },
    };
  });
}
