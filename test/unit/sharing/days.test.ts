import { expect, test } from 'vitest';
import { isTimeZone, startsOfDays } from '../../../src/sharing/insight/days.ts';

const starts = (zone: string, now: string, count = 3) =>
  startsOfDays(zone, count, Date.parse(now)).map((ms) => new Date(ms).toISOString());

test('days begin at midnight of their time zone', () => {
  expect(starts('UTC', '2026-03-10T12:00:00Z')).toEqual([
    '2026-03-08T00:00:00.000Z',
    '2026-03-09T00:00:00.000Z',
    '2026-03-10T00:00:00.000Z',
  ]);
  expect(starts('Asia/Kathmandu', '2026-03-10T20:00:00Z')).toEqual([
    '2026-03-08T18:15:00.000Z',
    '2026-03-09T18:15:00.000Z',
    '2026-03-10T18:15:00.000Z',
  ]);
  expect(starts('America/Los_Angeles', '2026-01-01T07:59:59Z', 1)).toEqual([
    '2025-12-31T08:00:00.000Z',
  ]);
});

test('days with a change of the clock have 23 or 25 hours', () => {
  expect(starts('Europe/Berlin', '2026-03-30T12:00:00Z')).toEqual([
    '2026-03-27T23:00:00.000Z',
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T22:00:00.000Z',
  ]);
  expect(starts('America/New_York', '2026-11-02T12:00:00Z')).toEqual([
    '2026-10-31T04:00:00.000Z',
    '2026-11-01T04:00:00.000Z',
    '2026-11-02T05:00:00.000Z',
  ]);
});

test('the last day is today, and days ascend, in every time zone', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  const now = Date.parse('2026-07-05T11:30:00Z');
  const wrong = zones.filter((zone) => {
    const days = startsOfDays(zone, 366, now);
    const lengths = days.slice(1).map((day, i) => (day - (days[i] ?? 0)) / 3_600_000);
    const [last = 0] = days.slice(-1);
    return !(last <= now && now - last < 90_000_000 && lengths.every((h) => h >= 22 && h <= 26));
  });
  expect(wrong).toEqual([]);
  expect(zones.length).toBeGreaterThan(300);
});

test('only names of time zones are accepted', () => {
  expect(['UTC', 'Europe/Berlin', 'Asia/Kolkata'].filter(isTimeZone)).toHaveLength(3);
  expect(['', 'Mars/Olympus', 'Europe', 'berlin', '../etc'].filter(isTimeZone)).toEqual([]);
});
