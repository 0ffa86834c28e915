import { expect, test } from 'vitest';
import { createSharedBuffers } from '../../../src/base/limits/shared-buffers.ts';

const size = 3 * 1024 * 1024;

test('a buffer that a response holds is not loaded again', async () => {
  const loads: string[] = [];
  const find = createSharedBuffers(async (key) => {
    loads.push(key);
    return Buffer.alloc(size);
  });
  const held = await find('held');
  // These leave no room for the first one.
  for (const key of ['second', 'third', 'fourth']) await find(key);

  const again = await find('held');

  expect(again).toBe(held);
  expect(loads).toEqual(['held', 'second', 'third', 'fourth']);
});

test('concurrent requests share one load', async () => {
  let loads = 0;
  const find = createSharedBuffers(async () => {
    loads += 1;
    return Buffer.from('logo');
  });
  const found = await Promise.all(Array.from({ length: 50 }, () => find('logo')));
  expect([loads, new Set(found).size]).toEqual([1, 1]);
});

test('a key without bytes is looked up again', async () => {
  const stored = new Map<string, Buffer>();
  const find = createSharedBuffers(async (key) => stored.get(key));
  expect(await find('logo')).toBeUndefined();
  stored.set('logo', Buffer.from('a'));
  expect(await find('logo')).toEqual(Buffer.from('a'));
});
