import type { Clock } from '../clock.ts';

/**
 * Does the work unless it was done in the last `ms`, by `now` in milliseconds. Does it again after
 * the clock was set back.
 */
export function everyMs(ms: number, now: Clock, work: () => Promise<void>) {
  let next = Number.NEGATIVE_INFINITY;
  return async (): Promise<void> => {
    const waitMs = next - now();
    if (waitMs > 0 && waitMs <= ms) return;
    next = now() + ms;
    await work();
  };
}
