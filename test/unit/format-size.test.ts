import { expect, test } from 'vitest';
import { formatSize } from '../../src/base/http/format-size.ts';
import { itHoldsFor } from '../support/rule.ts';

itHoldsFor([
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1 kB'],
  [999_949, '999.9 kB'],
  [999_950, '1 MB'],
  [2_000_000_000, '2 GB'],
])('a size is written in the largest fitting unit', (bytes, text) => {
  expect(formatSize(bytes, { locale: 'en' })).toBe(text);
});

test('a limit is rounded down, and a size that exceeds it is rounded up', () => {
  const limit = 100 * 1024 ** 2;
  expect(formatSize(limit, { locale: 'en', rounding: 'floor' })).toBe('104.8 MB');
  expect(formatSize(limit + 1, { locale: 'en', rounding: 'ceil' })).toBe('104.9 MB');
});
