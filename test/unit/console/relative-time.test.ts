import { expect, test } from 'vitest';
import { formatRelativeTime } from '../../../web/console/shared/relative-time.ts';

const now = Date.UTC(2027, 5, 15, 12);
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

test('a period of seven days begins with seven days', () => {
  expect(formatRelativeTime(now + 7 * day, now)).toBe('in 7 days');
  expect(formatRelativeTime(now + 7 * day - 3 * second, now)).toBe('in 7 days');
  expect(formatRelativeTime(now + 6 * day, now)).toBe('in 6 days');
  expect(formatRelativeTime(now + 8 * day, now)).toBe('Jun 23, 2027');
});

test('a time to come is rounded to the unit that fits', () => {
  expect(formatRelativeTime(now + day, now)).toBe('tomorrow');
  expect(formatRelativeTime(now + day - second, now)).toBe('tomorrow');
  expect(formatRelativeTime(now + hour - second, now)).toBe('in 1 hr.');
  expect(formatRelativeTime(now + 5 * minute - second, now)).toBe('in 5 min.');
  expect(formatRelativeTime(now + 40 * second, now)).toBe('in a moment');
});

test('a past time counts whole units', () => {
  expect(formatRelativeTime(now - 6 * day - 23 * hour, now)).toBe('6 days ago');
  expect(formatRelativeTime(now - 7 * day, now)).toBe('Jun 8, 2027');
  expect(formatRelativeTime(now - hour - 59 * minute, now)).toBe('1 hr. ago');
  expect(formatRelativeTime(now - 10 * second, now)).toBe('just now');
});
