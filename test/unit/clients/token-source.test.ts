import { expect, it } from 'vitest';
import { fixedToken, keptToken } from '../../../clients/client/src/token-source.ts';

/** A source on a clock that the test sets, with fetches that the test completes. */
function openSource(expiresInSeconds = 60) {
  const clock = { ms: 0 };
  const waiting: { resolve(): void; reject(error: Error): void }[] = [];
  let count = 0;
  const source = keptToken(
    () =>
      new Promise((resolve, reject) => {
        const accessToken = `t${++count}`;
        waiting.push({ resolve: () => resolve({ accessToken, expiresInSeconds }), reject });
      }),
    () => clock.ms,
  );
  const settle = async (end: 'resolve' | 'reject' = 'resolve') => {
    const next = waiting.shift();
    if (end === 'resolve') next?.resolve();
    else next?.reject(new Error('away'));
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, source, settle, fetched: () => count };
}

it('concurrent callers share one fetch', async () => {
  const { source, settle, fetched } = openSource();
  const all = Promise.all([source.get(), source.get(), source.get()]);
  await settle();
  expect(await all).toEqual(['t1', 't1', 't1']);
  expect(fetched()).toBe(1);
});

it('a token of 60 seconds is renewed in the background after 45, and ends after 54', async () => {
  const { clock, source, settle, fetched } = openSource(60);
  const first = source.get();
  await settle();
  expect(await first).toBe('t1');
  clock.ms = 44_999;
  expect(await source.get()).toBe('t1');
  expect(fetched()).toBe(1);
  clock.ms = 45_000;
  expect(await source.get()).toBe('t1');
  expect(fetched()).toBe(2);
  clock.ms = 54_000;
  const next = source.get();
  await settle();
  expect(await next).toBe('t2');
  expect(fetched()).toBe(2);
});

it('a failed renewal in the background is repeated, and the old token still works', async () => {
  const { clock, source, settle, fetched } = openSource(60);
  const first = source.get();
  await settle();
  await first;
  clock.ms = 45_000;
  await source.get();
  await settle('reject');
  expect(await source.get()).toBe('t1');
  expect(fetched()).toBe(3);
  await settle();
  expect(await source.get()).toBe('t3');
});

it('a failed first fetch is reported, and the next call fetches again', async () => {
  const { source, settle } = openSource();
  const first = expect(source.get()).rejects.toMatchObject({ name: 'LatchkeyError' });
  await settle('reject');
  await first;
  const second = source.get();
  await settle();
  expect(await second).toBe('t2');
});

it('a discarded token is not returned again, and a newer one stays', async () => {
  const { source, settle, fetched } = openSource();
  const first = source.get();
  await settle();
  expect(source.discard(await first)).toBe(true);
  const second = source.get();
  await settle();
  source.discard('t1');
  expect([await second, await source.get()]).toEqual(['t2', 't2']);
  expect(fetched()).toBe(2);
});

it('an aborted caller stops to wait, and the others get the token', async () => {
  const { source, settle } = openSource();
  const abort = new AbortController();
  const aborted = expect(source.get(abort.signal)).rejects.toMatchObject({ code: 'canceled' });
  const other = source.get();
  abort.abort();
  await aborted;
  await settle();
  expect(await other).toBe('t1');
});

it('a fixed token is not replaced', async () => {
  const source = fixedToken('lk_wk_x');
  expect(source.discard(await source.get())).toBe(false);
});
