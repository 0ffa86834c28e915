/** Requests to the HTTP face, for the bytes of files. */
import { ConnectError } from '@connectrpc/connect';
import { ProblemError, parseProblem } from './problem-error.ts';
import type { Session } from './session.ts';

export type BytesRequest = {
  readonly signal?: AbortSignal;
  /** Bytes from the first to before the last; unset for all. */
  readonly range?: readonly [begin: number, end: number];
};

/** Throws what the HTTP face says against it, or that the connection was lost. */
export function fetchBytes(
  session: Session,
  address: string,
  { signal, range }: BytesRequest = {},
): Promise<Blob> {
  const ranged = range === undefined ? {} : { range: `bytes=${range[0]}-${range[1] - 1}` };
  return session.send(async (token) => {
    const request = fetch(address, {
      headers: { ...ranged, authorization: `Bearer ${token}` },
      // What was deleted, or is no longer this user's to see, does not live on in a cache.
      cache: 'no-store',
      signal: signal ?? null,
    });
    const response = await connected(request);
    if (!response.ok) {
      const body = await connected(response.text());
      throw parseProblem(response.status, body, response.headers.get('retry-after'));
    }
    if (range === undefined) return connected(response.blob());
    return partOf(response, range[1] - range[0]);
  });
}

/** A proxy may pass the range over, and send all that there is. */
async function partOf(response: Response, length: number): Promise<Blob> {
  if (response.status === 206) {
    const bytes = await connected(response.blob());
    if (bytes.size === length) return bytes;
  } else {
    await response.body?.cancel();
  }
  const text =
    'Something on the way to the service did not send the part of the file that was wanted.';
  throw new ProblemError(text, {});
}

/** The browser's own words for a lost connection say nothing to anybody. */
function connected<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((cause) => {
    throw ConnectError.from(cause);
  });
}
