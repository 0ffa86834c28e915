import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { timestampDate } from '@bufbuild/protobuf/wkt';

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** A time in the reader's own zone and manner, of which a line breaks after the day only. */
export function whenText(date: Date): string {
  const time = timeFormat.format(date);
  const [before = '', after = ''] = format.format(date).split(time);
  return [before.trim(), time, after.trim()]
    .filter((part) => part !== '')
    .map((part) => part.replace(/\s/g, '\u00a0'))
    .join(' ');
}

/** The same, for machines too; `absent` says what it means that there is none. */
export function When({
  time,
  absent = 'never',
}: {
  readonly time: Timestamp | undefined;
  readonly absent?: string;
}) {
  if (time === undefined) return <>{absent}</>;
  const date = timestampDate(time);
  return <time dateTime={date.toISOString()}>{whenText(date)}</time>;
}
