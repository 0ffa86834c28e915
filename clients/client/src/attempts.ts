// Repeats a call: once with a fresh token after `unauthenticated`, and a few times after errors
// that pass, if repeating is safe.
import { type LatchkeyError, latchkeyErrorOf } from './errors.ts';
import { type TokenSource, untilAborted } from './token-source.ts';

export type RetryOptions = {
  /** How often a call is sent at most, including the first time. Default 3. */
  readonly attemptsMax?: number;
  /** The longest wait before an attempt. A longer `Retry-After` ends the call. Default 30. */
  readonly waitSecondsMax?: number;
};

export type Attempts = {
  /** The origin of the server, for messages. */
  readonly server: string;
  /** Absent for methods that need no credential. */
  readonly tokens: TokenSource | undefined;
  readonly retry: RetryOptions;
  /** Whether a second call has the same effect as one: see `isRepeatable`. */
  readonly repeatable: boolean;
  readonly signal: AbortSignal | undefined;
};

const passing: ReadonlySet<string> = new Set(['rate_limited', 'unavailable', 'connection_failed']);
/** The wait before the second attempt is up to this; it doubles for each further one. */
const firstWaitSeconds = 0.25;

/**
 * Calls `attempt` with the token until it succeeds or its error is final. Throws a LatchkeyError.
 */
export async function withAttempts<T>(
  { server, tokens, retry, repeatable, signal }: Attempts,
  attempt: (token: string | undefined) => Promise<T>,
): Promise<T> {
  const { attemptsMax = 3, waitSecondsMax = 30 } = retry;
  let isRenewed = false;
  for (let count = 1; ; ) {
    const token = await tokens?.get(signal);
    try {
      return await attempt(token);
    } catch (thrown) {
      const error = latchkeyErrorOf(thrown, server);
      if (signal?.aborted) throw error;
      if (error.code === 'unauthenticated' && !isRenewed && token !== undefined) {
        isRenewed = true;
        if (tokens?.discard(token)) continue;
      }
      const wait = waitBefore(error, count);
      if (!repeatable || !passing.has(error.code) || count >= attemptsMax) throw error;
      if (wait > waitSecondsMax) throw error;
      await sleep(wait, signal);
      count++;
    }
  }
}

/** At least `Retry-After`, and a random time, so that clients do not return together. */
function waitBefore({ retryAfterSeconds = 0 }: LatchkeyError, count: number): number {
  return retryAfterSeconds + Math.random() * firstWaitSeconds * 2 ** (count - 1);
}

async function sleep(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, seconds * 1000);
  });
  try {
    await untilAborted(waited, signal);
  } finally {
    clearTimeout(timer);
  }
}
