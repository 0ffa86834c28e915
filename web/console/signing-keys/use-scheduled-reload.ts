import { useEffect, useState } from 'react';
import type { SigningKey } from '../../../gen/latchkey/identity/v1/signing_key_pb.js';
import { isRetired, stateChangeTimesOf, timestampMsOf } from './key-lifecycle.ts';

const againMs = 5000;
const timerMsMax = 2 ** 31 - 1;

/**
 * Reloads when the next planned event is due, and then every few seconds until the response shows
 * it, because the clock of the service may be slower.
 */
export function useScheduledReload(
  keys: readonly SigningKey[],
  now: number,
  reload: () => void,
): void {
  const time = nextTimeOf(keys, now);
  const isLate = keys.some(
    (key) => isRetired(key) && (timestampMsOf(key.removeTime) ?? now + 1) <= now,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the time matters
  useEffect(() => {
    if (time === undefined) return;
    const timer = setTimeout(reload, Math.min(time - now + 500, timerMsMax));
    return () => clearTimeout(timer);
  }, [time]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the interval is the same for all keys
  useEffect(() => {
    if (!isLate) return;
    const timer = setInterval(reload, againMs);
    return () => clearInterval(timer);
  }, [isLate]);
}

function nextTimeOf(keys: readonly SigningKey[], now: number): number | undefined {
  const times = keys.flatMap((key) => [
    ...stateChangeTimesOf(key, now),
    timestampMsOf(key.removeTime) ?? now,
  ]);
  const coming = times.filter((time) => time > now);
  return coming.length === 0 ? undefined : Math.min(...coming);
}

/** The current time in milliseconds since 1970, updated every second. */
export function useCurrentTime(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
