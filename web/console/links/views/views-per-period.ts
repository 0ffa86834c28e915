/** Views by the days of the reader's calendar or, where those are many, by longer periods. */
import type { Bar } from './bar-chart.tsx';

/** More bars are too thin on a phone. */
const barsMax = 62;
/** As many days are shown at least, so that a single one does not fill the chart. */
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
  /** The first moment of the period that many periods after that of a date. */
  readonly start: (date: Date, after: number) => Date;
  readonly label: (start: Date) => string;
  readonly shortLabel: (start: Date) => string;
  /** What stands before the label in a sentence. */
  readonly at: string;
};

// Days are of 23 to 25 hours: only the calendar can count them.
const periods: readonly Period[] = [
  {
    name: 'day',
    start: (date, after) => new Date(date.getFullYear(), date.getMonth(), date.getDate() + after),
    label: dayText,
    shortLabel: shortDayText,
    at: 'on',
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
    at: 'in the',
  },
  {
    name: 'month',
    start: (date, after) => new Date(date.getFullYear(), date.getMonth() + after),
    label: monthText,
    shortLabel: shortMonthText,
    at: 'in',
  },
  {
    name: 'year',
    start: (date, after) => new Date(date.getFullYear() + after, 0),
    label: yearText,
    shortLabel: yearText,
    at: 'in',
  },
];

export type PeriodCounts = {
  readonly period: Pick<Period, 'name' | 'at'>;
  readonly bars: readonly Bar[];
};

/** Counts moments, in milliseconds since 1970, in the shortest periods that are few enough. */
export function countPerPeriod(times: readonly number[], now: number): PeriodCounts {
  const latest = new Date(times.reduce((one, other) => Math.max(one, other), now));
  const earliest = new Date(times.reduce((one, other) => Math.min(one, other), now));
  for (const period of periods) {
    const starts = startsOf(period, earliest, latest);
    if (starts !== undefined) return { period, bars: barsOf(period, starts, times) };
  }
  throw new RangeError('there is no period that is long enough');
}

/** Of all periods from the one date to the other; undefined where they are too many. */
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
