import { expect, test } from 'vitest';
import { createChunkBuffers } from '../../../src/base/limits/chunk-buffers.ts';
import { itHoldsFor } from '../../support/rule.ts';

const full = 256 * 1024;

test('a buffer is used again after its chunk was released, and only once', () => {
  const { take, release } = createChunkBuffers();
  const buffer = take(full);
  const chunk = buffer.subarray(0, 10);

  release(chunk);
  release(chunk);

  expect(take(full)).toBe(buffer);
  expect(take(full)).not.toBe(buffer);
});

itHoldsFor([
  [1, 16],
  [16 * 1024, 16],
  [16 * 1024 + 1, 64],
  [64 * 1024 + 1, 256],
  [10_000_000, 256],
])('has the size that its bytes need', (length, kibibytes) => {
  expect(createChunkBuffers().take(length)).toHaveLength(kibibytes * 1024);
});

test('a chunk of another buffer is not used', () => {
  const { take, release } = createChunkBuffers();
  const foreign = Buffer.alloc(full);
  release(foreign);
  expect(take(full)).not.toBe(foreign);
});

test('at most 16 MiB stay allocated', () => {
  const { take, release } = createChunkBuffers();
  const first = Array.from({ length: 70 }, () => take(full));
  for (const buffer of first) release(buffer);

  const second = Array.from({ length: 70 }, () => take(full));

  expect(second.filter((buffer) => first.includes(buffer))).toHaveLength(64);
});
