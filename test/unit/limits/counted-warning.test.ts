import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fail } from '../../../src/base/errors/errors.ts';
import { countedWarning } from '../../../src/base/limits/counted-warning.ts';
import type { Reader } from '../../../src/sharing/gate/gate.ts';
import {
  createReaderViews,
  type ReaderViewsOptions,
} from '../../../src/sharing/views/reader-views.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('follows once a minute, with the number of events', () => {
  const warn = vi.fn();
  const count = countedWarning(warn);
  count();
  vi.advanceTimersByTime(59_999);
  count();
  expect(warn).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(warn.mock.calls).toEqual([[2]]);
  vi.advanceTimersByTime(120_000);
  count();
  vi.advanceTimersByTime(60_000);
  expect(warn.mock.calls).toEqual([[2], [1]]);
});

it('names the number of readers who opened a document without a view', async () => {
  const warn = vi.fn();
  const newViews = { ensure: async () => fail('rate_limited', 'Too many views.') };
  const options = { newViews, warn, now: Date.now };
  const views = createReaderViews(options as unknown as ReaderViewsOptions);
  const link = { id: 'lnk_1', folder_id: null, view_limit: null };
  const accessSession = { viewId: 'viw_1', startMs: 0 };
  const reader = { link, accessSession, version: 1 } as unknown as Reader;
  for (let i = 0; i < 3; i++) await views.recordOpening(reader);
  vi.advanceTimersByTime(60_000);
  const message = 'readers opened documents without a view, because of a limit';
  expect(warn.mock.calls).toEqual([[{ unrecorded: 3 }, message]]);
});
