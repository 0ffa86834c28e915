import { expect, test } from 'vitest';
import { formatSize, unitsOfLimit } from '../../src/http/format-size.ts';

const limitText = (bytes: number) =>
  formatSize(bytes, { locale: 'en', rounding: 'floor', units: unitsOfLimit(bytes) });

test.each([
  [1, '1 byte'],
  [500, '500 bytes'],
  [64 * 1024, '64 KiB'],
  [100 * 1024 ** 2, '100 MiB'],
  [1.5 * 1024 ** 3, '1.5 GiB'],
  [2_000_000, '2 MB'],
  [2_000_000_000, '2 GB'],
  [100 * 1024 ** 2 + 1, '104.8 MB'],
  [4_294_967_295, '4.2 GB'],
])('a limit of %s bytes is shown in the unit in which it was set: %s', (bytes, text) => {
  expect(limitText(bytes)).toBe(text);
});

test('a file that is too large has the unit of the limit', () => {
  const limit = 100 * 1024 ** 2;
  const options = { locale: 'en', rounding: 'ceil', units: unitsOfLimit(limit) } as const;
  expect(formatSize(limit + 1, options)).toBe('100.1 MiB');
});

test.each([
  [999, '999 bytes'],
  [1000, '1 kB'],
  [999_949, '999.9 kB'],
  [999_950, '1 MB'],
])('a document of %s bytes has %s', (bytes, text) => {
  expect(formatSize(bytes, { locale: 'en' })).toBe(text);
});
