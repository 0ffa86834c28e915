// Reads small JSON documents from URLs that a caller chose.
import { createEgressFetch, EgressError } from './egress-fetch.ts';

/** Reads JSON. Throws an EgressError, also if `signal` is aborted. */
export type ReadJson = (url: string, signal: AbortSignal) => Promise<unknown>;

export type EgressOptions = {
  /** Networks that are accessible although they are not public. */
  readonly networks: readonly string[];
  readonly timeoutMs?: number;
};

const bytesMax = 65_536;
const defaultTimeoutMs = 2_000;

export function createEgress({ networks, timeoutMs = defaultTimeoutMs }: EgressOptions): ReadJson {
  const send = createEgressFetch({ networks, timeoutMs, bytesMax });
  return async (text, signal) => {
    const headers = { accept: 'application/json' };
    const response = await send(text, { method: 'GET', headers, signal });
    const { status } = response;
    if (status >= 300 && status < 400) {
      throw new EgressError('The server redirects, which is not followed.');
    }
    if (status !== 200) throw new EgressError(`The server answered with the status ${status}.`);
    try {
      return JSON.parse(await response.text());
    } catch {
      throw new EgressError('The response is not JSON.');
    }
  };
}
