/** Does the work unless it was done in the last `ms`, by `now` in milliseconds. */
export function everyMs(ms: number, now: () => number, work: () => Promise<void>) {
  let next = Number.NEGATIVE_INFINITY;
  return async (): Promise<void> => {
    if (now() < next) return;
    next = now() + ms;
    await work();
  };
}
