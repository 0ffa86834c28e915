// Fetches, keeps and renews access tokens.
import { latchkeyErrorOf } from './errors.ts';

export type AccessToken = {
  readonly accessToken: string;
  /** The token's remaining lifetime. Absent means that the token is not kept. */
  readonly expiresInSeconds?: number;
};

export type TokenSource = {
  /** Returns a token that is valid for a while yet. Throws a LatchkeyError. */
  get(signal?: AbortSignal): Promise<string>;
  /** Forgets a token that the server refused. Returns whether a fresh one can be had. */
  discard(token: string): boolean;
};

/** A source of a credential that never changes, such as a workspace's API key. */
export function fixedToken(token: string): TokenSource {
  return { get: async () => token, discard: () => false };
}

/** For a call that cannot be repeated. A refused token is forgotten: the next call gets another. */
export function forOneAttempt(tokens: TokenSource): TokenSource {
  return {
    get: (signal) => tokens.get(signal),
    discard(token) {
      tokens.discard(token);
      return false;
    },
  };
}

/** Renewed in the background after this part of the lifetime, while the old token still works. */
const renewedAfter = 0.75;
/** A token is not sent in the last part of its lifetime: a call takes time to arrive. */
const unusedAfter = 0.9;

type Kept = { readonly token: string; readonly renewTime: number; readonly endTime: number };

/**
 * Keeps the token that `fetchToken` returns. Any number of concurrent calls cause one fetch. Times
 * count from the moment of the request on the clock of this process, so that a wrong clock does not
 * matter. `now` is in milliseconds and never goes back.
 */
export function keptToken(
  fetchToken: () => Promise<AccessToken>,
  now: () => number = () => performance.now(),
): TokenSource {
  let kept: Kept | undefined;
  let fetching: Promise<string> | undefined;

  async function fetchOnce(): Promise<string> {
    const start = now();
    try {
      const { accessToken, expiresInSeconds = 0 } = await fetchToken();
      const lifetime = expiresInSeconds * 1000;
      kept = {
        token: accessToken,
        renewTime: start + lifetime * renewedAfter,
        endTime: start + lifetime * unusedAfter,
      };
      return accessToken;
    } catch (thrown) {
      throw latchkeyErrorOf(thrown);
    } finally {
      fetching = undefined;
    }
  }

  return {
    get(signal) {
      const before = kept;
      if (before !== undefined && now() < before.renewTime) return Promise.resolve(before.token);
      fetching ??= fetchOnce();
      if (before === undefined || now() >= before.endTime) return untilAborted(fetching, signal);
      // The next call reports the error if the old token has ended by then.
      fetching.catch(() => {});
      return Promise.resolve(before.token);
    },
    discard(token) {
      if (kept?.token === token) kept = undefined;
      return true;
    },
  };
}

/** Rejects with a LatchkeyError as soon as the signal is aborted. The work itself goes on. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(latchkeyErrorOf(signal.reason));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
