import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../../src/observe/log.ts';
import { watchStore } from '../../../src/sharing/blobs/watch-store.ts';

test('a store that does not answer is an outage', async () => {
  const watch = watchStore({
    blobs: { check: () => new Promise(() => {}) },
    kind: 's3',
    log: createLog({ level: 'silent' }).log,
    observe: () => {},
  });
  onTestFinished(watch.stop);

  expect(await watch.state()).toBe('outage');
});
