// Sends requests to servers that an administrator chose. The connection goes to an address that was
// checked: a name that resolves differently a moment later cannot lead it elsewhere (SSRF).
import { lookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { type BlockList, isIP, type LookupFunction } from 'node:net';
import {
  isInNetworks,
  isLoopbackAddress,
  isPublicAddress,
  networkList,
} from './public-addresses.ts';

export type EgressRequest = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal;
};

/** Follows no redirect. Throws an EgressError. */
export type EgressFetch = (url: string, request: EgressRequest) => Promise<Response>;

export type EgressFetchOptions = {
  /** The networks that are accessible although they are not public. */
  readonly networks: readonly string[];
  readonly timeoutMs: number;
  /** The size of the largest response. */
  readonly bytesMax: number;
};

/** Why a request failed, in fixed words that contain nothing of the response. */
export class EgressError extends Error {}

export function createEgressFetch(options: EgressFetchOptions): EgressFetch {
  const { networks, timeoutMs, bytesMax } = options;
  const listed = networkList(networks);
  const isListed = (address: string) => isInNetworks(address, listed);

  async function resolve(host: string): Promise<Address[]> {
    const found = isIP(host)
      ? [{ address: host, family: isIP(host) }]
      : await lookup(host, { all: true }).catch(() => []);
    if (found.length === 0) throw new EgressError('The name of the server does not resolve.');
    const isAllowed = ({ address }: Address) => isPublicAddress(address) || isListed(address);
    // One private address is enough to refuse the name, because it has no reason to have both.
    if (found.every(isAllowed)) return found;
    throw new EgressError('The address of the server is not public.');
  }

  return async (text, request) => {
    const url = readEgressUrl(text, listed);
    if (url === undefined) throw new EgressError('The URL is not an https URL.');
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal =
      request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
    const late = new Promise<never>((_, reject) => {
      const reason = `The server took longer than ${timeoutMs / 1000} seconds.`;
      signal.addEventListener('abort', () => reject(new EgressError(reason)));
    });
    late.catch(() => {});
    // DNS has no timeout that fits.
    const addresses = await Promise.race([resolve(hostOf(url)), late]);
    return Promise.race([send(url, request, { addresses, signal, bytesMax }), late]);
  };
}

/** Returns whether the service calls a URL, by its form alone. */
export function isEgressUrl(text: string, networks: readonly string[]): boolean {
  return readEgressUrl(text, networkList(networks)) !== undefined;
}

function readEgressUrl(text: string, listed: BlockList): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const host = hostOf(url);
  // A name may resolve to anything, so only a loopback address makes http acceptable.
  const isPlain = isLoopbackAddress(host) && isInNetworks(host, listed);
  const isAccepted = url.protocol === 'https:' || (url.protocol === 'http:' && isPlain);
  const isBare = url.username === '' && url.password === '' && url.hash === '';
  return isAccepted && isBare ? url : undefined;
}

const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

type Address = { readonly address: string; readonly family: number };

type Sending = {
  readonly addresses: readonly Address[];
  readonly signal: AbortSignal;
  readonly bytesMax: number;
};

/** A proxy may send `103 Early Hints`. */
const interimResponsesMax = 10;

type Received = Pick<http.IncomingMessage, 'statusCode' | 'headers'> & { readonly body: Buffer };

async function send(url: URL, request: EgressRequest, sending: Sending): Promise<Response> {
  const { statusCode, headers, body } = await exchange(url, request, sending);
  return new Response(body, { status: statusCode ?? 0, headers: headersOf(headers) });
}

function exchange(
  url: URL,
  { method, headers, body }: EgressRequest,
  { addresses, signal, bytesMax }: Sending,
): Promise<Received> {
  const checked: LookupFunction = (_host, { all }, callback) => {
    const [first] = addresses;
    if (all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new EgressError(reason));
    const { request } = url.protocol === 'https:' ? https : http;
    const sent = request(url, {
      // Without an agent, so that no connection outlives the check of its address.
      agent: false,
      lookup: checked,
      method,
      signal,
      headers: { 'user-agent': 'Latchkey', ...headers, 'accept-encoding': 'identity' },
    });
    let interimResponses = 0;
    sent.on('information', () => {
      interimResponses++;
      if (interimResponses <= interimResponsesMax) return;
      fail('The server sends too many interim responses.');
      sent.destroy();
    });
    sent.on('response', (response) => {
      const { statusCode = 0, headers: received } = response;
      if (!isStatusWithBody(statusCode)) {
        fail(`The server answered with the status ${statusCode}.`);
        sent.destroy();
        return;
      }
      if ((received['content-encoding'] ?? 'identity') !== 'identity') {
        fail('The response is compressed.');
        sent.destroy();
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size <= bytesMax) return;
        fail(`The response is larger than ${bytesMax / 1024} KiB.`);
        sent.destroy();
      });
      response.on('end', () => {
        resolve({ statusCode, headers: received, body: Buffer.concat(chunks) });
      });
      response.on('error', () => fail('The connection was lost.'));
    });
    sent.on('error', (error) => fail(describe(error)));
    sent.end(body);
  });
}

/** Whether `Response` accepts this status with a body. A server can send any number up to 999. */
const isStatusWithBody = (status: number) =>
  status >= 200 && status <= 599 && ![204, 205, 304].includes(status);

function headersOf(received: http.IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const name of ['content-type', 'www-authenticate', 'date'] as const) {
    const value = received[name];
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}

/** The texts of other errors contain addresses. */
function describe(error: Error & { readonly code?: string }): string {
  if (error.code === 'ECONNREFUSED') return 'The server refused the connection.';
  if (/CERT|SIGNATURE|TLS|SSL/.test(error.code ?? '')) return 'The certificate is not trusted.';
  return 'The connection failed.';
}
