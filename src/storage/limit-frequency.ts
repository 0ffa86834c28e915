import type { Clock } from '../clock.ts';

/**
 * Returns a function that runs `work`, but at most once per `ms` milliseconds. A clock that is set
 * back delays the next run by at most `ms`.
 */
export function limitFrequency(ms: number, now: Clock, work: () => Promise<void>) {
  let next = Number.NEGATIVE_INFINITY;
  return async (): Promise<void> => {
    const waitMs = next - now();
    if (waitMs > 0 && waitMs <= ms) return;
    next = now() + ms;
    await work();
  };
}
