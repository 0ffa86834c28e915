import { expect, onTestFinished, test } from 'vitest';
import { watchStore } from '../../../src/sharing/blobs/watch-store.ts';

test('a store that does not answer is an outage', async () => {
  const watch = watchStore({
    blobs: { check: () => new Promise(() => {}) },
    kind: 's3',
    log: { error() {}, info() {} },
    observe: () => {},
  });
  onTestFinished(watch.stop);

  expect(await watch.state()).toBe('outage');
});
