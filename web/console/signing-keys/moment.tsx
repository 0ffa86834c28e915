import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';

const near = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const far = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** To the second on the day itself: a key's next step may be minutes away. */
function momentText(time: Timestamp, now: number): string {
  const date = timestampDate(time);
  const isToday = date.toDateString() === new Date(now).toDateString();
  return (isToday ? near : far).format(date);
}

export function Moment({ time, now }: { readonly time: Timestamp; readonly now: number }) {
  return <time dateTime={timestampDate(time).toISOString()}>{momentText(time, now)}</time>;
}
