// Who is at the other end of an HTTP connection, where proxies stand in between.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import { bareAddress } from '../rpc/address.ts';

/** Takes what either of Node's two servers has for a request. */
export type PeerOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/**
 * Tells a caller's network address: the last one in `X-Forwarded-For` that no trusted proxy has, or
 * the connection's own where that is no trusted proxy's. What a caller writes there itself stands
 * before what the proxies add, and is not looked at.
 */
export function createPeerOf(trustedProxies: readonly string[]): PeerOf {
  const direct: PeerOf = ({ socket }) => bareAddress(socket.remoteAddress ?? '');
  if (trustedProxies.length === 0) return direct;
  const isTrusted = proxyAddr.compile([...trustedProxies]);
  return (request) => {
    const address = bareAddress(proxyAddr(request as IncomingMessage, isTrusted));
    return isIP(address) === 0 ? direct(request) : address;
  };
}
