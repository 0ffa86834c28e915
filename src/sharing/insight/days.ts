// The days of a time zone. A day begins at midnight of the zone and may have 23 to 25 hours.

import { dayMs } from '../../base/clock.ts';

export function startsOfDays(timeZone: string, count: number, now: number): number[] {
  const local = createLocalTime(timeZone);
  // A day count of the calendar, in which each day has 24 hours.
  const today = Math.floor(local(now) / dayMs);
  return Array.from({ length: count }, (_, index) => {
    const midnight = (today - count + 1 + index) * dayMs;
    const near = midnight - (local(midnight) - midnight);
    // The offset at that time may be another one than at midnight UTC.
    return midnight - (local(near) - near);
  });
}

export function isTimeZone(name: string): boolean {
  try {
    createLocalTime(name);
    return true;
  } catch {
    return false;
  }
}

function createLocalTime(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (time) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, +value]));
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
    const date = [part('year'), part('month') - 1, part('day')] as const;
    return Date.UTC(...date, part('hour'), part('minute'), part('second'));
  };
}
