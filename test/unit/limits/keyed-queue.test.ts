import { expect, it, vi } from 'vitest';
import { createKeyedQueue } from '../../../src/base/limits/keyed-queue.ts';

/** A task that ends when the test says so. */
function openTask() {
  let end = (_: string) => {};
  let fail = (_: Error) => {};
  const ended = new Promise<string>((resolve, reject) => {
    [end, fail] = [resolve, reject];
  });
  return { run: vi.fn(() => ended), end: (text: string) => end(text), fail: (e: Error) => fail(e) };
}

const queue = (waitMsMax = 60_000) => createKeyedQueue(waitMsMax, () => new Error('Too late.'));

const settle = () => new Promise((resolve) => setImmediate(resolve));

it('runs the tasks of a key one after the other, also after one that fails', async () => {
  const [first, second, third] = [openTask(), openTask(), openTask()];
  const { run } = queue();
  const results = [first, second, third].map((task) => run('a', task.run));
  await settle();
  expect(second.run).not.toHaveBeenCalled();

  first.fail(new Error('Failed.'));
  await expect(results[0]).rejects.toThrow('Failed.');
  await settle();
  expect(second.run).toHaveBeenCalledOnce();
  expect(third.run).not.toHaveBeenCalled();
  second.end('second');
  third.end('third');
  expect(await Promise.all(results.slice(1))).toEqual(['second', 'third']);
});

it('does not make the tasks of another key wait', async () => {
  const first = openTask();
  const { run } = queue();
  const result = run('a', first.run);
  expect(await run('b', async () => 'done')).toBe('done');
  first.end('first');
  expect(await result).toBe('first');
});

it('refuses a task that waits too long, and keeps the later ones in line', async () => {
  const [first, late, third] = [openTask(), openTask(), openTask()];
  const { run } = queue(20);
  const result = run('a', first.run);
  await expect(run('a', late.run)).rejects.toThrow('Too late.');
  const next = run('a', third.run);
  await settle();
  expect(third.run).not.toHaveBeenCalled();
  first.end('first');
  third.end('third');
  expect(await Promise.all([result, next])).toEqual(['first', 'third']);
  expect(late.run).not.toHaveBeenCalled();
});
