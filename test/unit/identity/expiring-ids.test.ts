import { expect, test } from 'vitest';
import { createExpiringIds } from '../../../src/identity/tokens/revocations.ts';

const minuteMs = 60_000;
const start = 1_795_000_000_000;

test('an id that is added twice counts once, and stays for the longer time', () => {
  let now = start;
  const ids = createExpiringIds(() => now);
  for (const ms of [minuteMs, 60 * minuteMs, minuteMs]) ids.add('a', start + ms);
  expect(ids.size).toBe(1);

  now += 30 * minuteMs;
  for (let i = 0; i < 10_000; i++) ids.add(`${i}`, now + minuteMs);

  expect(ids.has('a')).toBe(true);
});

test('expired ids are removed when others are added', () => {
  let now = start;
  const ids = createExpiringIds(() => now);
  const rate = 1_000;
  for (let minute = 0; minute < 100; minute++) {
    now = start + minute * minuteMs;
    for (let i = 0; i < rate; i++) ids.add(`${minute} ${i}`, now + minuteMs);
  }

  // About two minutes' ids are unexpired at any time.
  expect(ids.size).toBeLessThan(10 * rate);
  for (let i = 0; i < rate; i++) expect(ids.has(`99 ${i}`)).toBe(true);
});
