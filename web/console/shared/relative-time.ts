const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `future` and `past`: the multiples of the unit below which it is used. */
const units = [
  { unit: 'minute', ms: minute, past: 60, future: 60 },
  { unit: 'hour', ms: hour, past: 24, future: 24 },
  { unit: 'day', ms: day, past: 7, future: 8 },
] as const;

const relative = new Intl.RelativeTimeFormat(undefined, { style: 'short', numeric: 'auto' });
const dateText = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/**
 * `5 min. ago`, `in 7 days`; a date if it is a week ago or more than a week away. Both: ms since
 * 1970. Times to come are rounded, so that a period of seven days begins with `in 7 days`.
 */
export function formatRelativeTime(time: number, now: number): string {
  const distance = Math.abs(time - now);
  // The clock may be behind the time of something that was created just now.
  if (distance < minute) return time > now + minute / 2 ? 'in a moment' : 'just now';
  const isFuture = time > now;
  for (const { unit, ms, past, future } of units) {
    const count = isFuture ? Math.round(distance / ms) : Math.floor(distance / ms);
    if (count < (isFuture ? future : past)) return relative.format(isFuture ? count : -count, unit);
  }
  return dateText.format(time);
}
