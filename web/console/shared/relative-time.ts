const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const units = [
  { unit: 'minute', ms: minute, until: hour },
  { unit: 'hour', ms: hour, until: day },
  { unit: 'day', ms: day, until: 7 * day },
] as const;

const relative = new Intl.RelativeTimeFormat(undefined, { style: 'short', numeric: 'auto' });
const dateText = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** `5 min. ago`, `in 3 days`; a date if it is a week or more away. Both: ms since 1970. */
export function formatRelativeTime(time: number, now: number): string {
  const distance = Math.abs(time - now);
  // The clock may be behind the time of something that was created just now.
  if (distance < minute) return time > now + minute / 2 ? 'in a moment' : 'just now';
  const fitting = units.find(({ until }) => distance < until);
  if (fitting === undefined) return dateText.format(time);
  const count = Math.floor(distance / fitting.ms);
  return relative.format(time > now ? count : -count, fitting.unit);
}
