import { ConnectError } from '@connectrpc/connect';
import { ProblemError, parseProblem } from './problem-error.ts';
import type { Session } from './session.ts';

export type BytesRequest = {
  readonly signal?: AbortSignal;
  /** The end is exclusive; unset for the whole file. */
  readonly range?: readonly [begin: number, end: number];
};

/** Fetches a file. Throws a `ProblemError`, or a `ConnectError` without a connection. */
export function fetchBytes(
  session: Session,
  address: string,
  { signal, range }: BytesRequest = {},
): Promise<Blob> {
  const ranged = range === undefined ? {} : { range: `bytes=${range[0]}-${range[1] - 1}` };
  return session.send(async (token) => {
    const request = fetch(address, {
      headers: { ...ranged, authorization: `Bearer ${token}` },
      // A deleted document must not stay in the browser cache.
      cache: 'no-store',
      signal: signal ?? null,
    });
    const response = await withConnectError(request);
    if (!response.ok) {
      const body = await withConnectError(response.text());
      throw parseProblem(response.status, body, response.headers.get('retry-after'));
    }
    if (range === undefined) return withConnectError(response.blob());
    return partOf(response, range[1] - range[0]);
  });
}

/** A proxy may ignore the range and send the whole file. */
async function partOf(response: Response, length: number): Promise<Blob> {
  if (response.status === 206) {
    const bytes = await withConnectError(response.blob());
    if (bytes.size === length) return bytes;
  } else {
    await response.body?.cancel();
  }
  throw new ProblemError('A proxy didn’t return the requested part of the file.', {});
}

/** Replaces the browser's error of a lost connection. */
function withConnectError<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((cause) => {
    throw ConnectError.from(cause);
  });
}
