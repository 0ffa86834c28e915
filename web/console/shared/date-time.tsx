import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { VisuallyHidden } from '@mantine/core';
import { formatRelativeTime } from './relative-time.ts';
import { useMinuteClock } from './use-minute-clock.ts';

/** Seconds for events that may happen within the same minute. */
export type Precision = 'minute' | 'second';

const timeStyles = { minute: 'short', second: 'medium' } as const;

const formats = { minute: formatsOf('minute'), second: formatsOf('second') };

function formatsOf(precision: Precision) {
  const timeStyle = timeStyles[precision];
  return {
    whole: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle }),
    time: new Intl.DateTimeFormat(undefined, { timeStyle }),
  };
}

/** Formats a time for the local time zone and locale. The text wraps only after the date. */
export function formatDateTime(date: Date, precision: Precision = 'minute'): string {
  const { whole, time } = formats[precision];
  const text = time.format(date);
  const [before = '', after = ''] = whole.format(date).split(text);
  return [before.trim(), text, after.trim()]
    .filter((part) => part !== '')
    .map((part) => part.replace(/\s/g, '\u00a0'))
    .join(' ');
}

export type DateTimeProps = {
  readonly time: Timestamp | undefined;
  /** Replaces a missing time. */
  readonly absent?: string;
  /** Unset: relative to now, with the exact time on hover and for screen readers. */
  readonly precision?: Precision;
};

/** A `<time>` element. */
export function DateTime({ time, absent = 'Never', precision }: DateTimeProps) {
  if (time === undefined) return <span data-absent>{absent}</span>;
  const date = timestampDate(time);
  if (precision === undefined) return <RelativeTime date={date} />;
  return <time dateTime={date.toISOString()}>{formatDateTime(date, precision)}</time>;
}

function RelativeTime({ date }: { readonly date: Date }) {
  const now = useMinuteClock();
  const exact = formatDateTime(date, 'second');
  return (
    <time dateTime={date.toISOString()} title={exact} style={{ whiteSpace: 'nowrap' }}>
      <span aria-hidden>{formatRelativeTime(date.getTime(), now)}</span>
      <VisuallyHidden>{exact}</VisuallyHidden>
    </time>
  );
}
