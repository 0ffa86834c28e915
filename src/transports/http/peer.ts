// The client of an HTTP connection behind proxies.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import { normaliseAddress } from '../../base/net/network.ts';

/** Returns the caller's network address for requests of node:http and node:http2. */
export type PeerOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/**
 * Returns a caller's network address: the last address in `X-Forwarded-For` that is not a trusted
 * proxy. If the connection does not come from a trusted proxy, returns its own address. Addresses
 * that the caller adds precede those of the proxies and are ignored. Empty if the connection was
 * already reset.
 */
export function createPeerOf(
  trustedProxies: readonly string[],
  /** Called the first time that an untrusted peer sends the header. */
  onUntrusted: (peer: string) => void = () => {},
): PeerOf {
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  let isReported = false;
  return (request) => {
    const own = normaliseAddress(request.socket.remoteAddress ?? '');
    if (request.headers['x-forwarded-for'] === undefined) return own;
    if (!isTrusted(own, 0)) {
      if (!isReported) onUntrusted(own);
      isReported = true;
      return own;
    }
    let address = own;
    for (const named of forwardedFor(request).reverse()) {
      if (!isTrusted(address, 0)) break;
      if (isIP(named) === 0) return own;
      address = named;
    }
    return address;
  };
}

/** The addresses in the header, without the ports that some proxies add (RFC 7239 §6). */
function forwardedFor({ headers }: Parameters<PeerOf>[0]): string[] {
  const entries = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  return entries
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => normaliseAddress(/^(\[.*\]|[^:]*):\d+$/.exec(entry)?.[1] ?? entry));
}
