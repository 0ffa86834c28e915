const periodMs = 60_000;

/**
 * Returns a function that counts an event. A warning with the number of events follows at most once
 * a minute, a minute after the first event.
 */
export function countedWarning(warn: (count: number) => void): () => void {
  let count = 0;
  function report(): void {
    warn(count);
    count = 0;
  }
  return () => {
    if (count++ === 0) setTimeout(report, periodMs).unref();
  };
}
