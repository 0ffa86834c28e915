import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { timestampDate } from '@bufbuild/protobuf/wkt';

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

/** A `<time>` element; `absent` replaces a missing time. */
export function DateTime({
  time,
  absent = 'Never',
  precision = 'minute',
}: {
  readonly time: Timestamp | undefined;
  readonly absent?: string;
  readonly precision?: Precision;
}) {
  if (time === undefined) return <>{absent}</>;
  const date = timestampDate(time);
  return <time dateTime={date.toISOString()}>{formatDateTime(date, precision)}</time>;
}
