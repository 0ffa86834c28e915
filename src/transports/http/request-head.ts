// Reads the head of a request: its path, its id and its Host.
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { requestIdFrom } from '../../api/call.ts';

type Request = Pick<IncomingMessage, 'rawHeaders' | 'headers' | 'httpVersion'>;

/** The path of a request target. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** Returns the id that the client has given the request, or a new one. */
export function readRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const header = headers['x-request-id'];
  return requestIdFrom(typeof header === 'string' ? header : undefined);
}

/**
 * Returns why the head is refused; undefined if it is valid. A proxy may have routed or refused a
 * request by its Host (RFC 9110 §7.2), so a request with an invalid or a second one is refused (RFC
 * 9112 §3.2). The same holds for a second credential, of which Node keeps the first. HTTP/1.0 does
 * not require a Host.
 */
export function findHeadProblem(request: Request): string | undefined {
  // HTTP/2 has `:authority`, which stays if `Host` is different.
  const authorities = request.headers[':authority'] === undefined ? 0 : 1;
  if (authorities + countLines(request, 'host') > 1) {
    return 'The request contains more than one Host header.';
  }
  if (countLines(request, 'authorization') > 1) {
    return 'The request contains more than one Authorization header.';
  }
  const { host } = request.headers;
  if (host !== undefined) return isHost(host) ? undefined : 'The Host header is not valid.';
  return request.httpVersion === '1.1' ? 'The request contains no Host header.' : undefined;
}

/**
 * Servers must also accept the absolute form that proxies receive. Its host replaces the header
 * (RFC 9112 §3.2.2). Returns why it is refused.
 */
export function readAbsoluteForm(
  request: Pick<IncomingMessage, 'url' | 'headers'>,
): string | undefined {
  const [, host, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(request.url ?? '') ?? [];
  if (host === undefined) return undefined;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  request.headers.host = host;
  return isHost(host) ? undefined : 'The host of the request target is not valid.';
}

function countLines({ rawHeaders }: Request, header: string): number {
  let lines = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === header.length && name.toLowerCase() === header) lines++;
  }
  return lines;
}

/** A registered name or an IPv4 address, which may be empty, and a port (RFC 3986 §3.2). */
const namePattern = /^(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*(?::\d*)?$/;
const literalPattern = /^\[([^\]]*)\](?::\d*)?$/;
const futurePattern = /^v[0-9A-F]+\.[A-Z0-9._~!$&'()*+,;=:-]+$/i;

function isHost(value: string): boolean {
  if (namePattern.test(value)) return true;
  const [, literal] = literalPattern.exec(value) ?? [];
  if (literal === undefined) return false;
  // Zones are not part of the syntax, but isIPv6 accepts them.
  return futurePattern.test(literal) || (isIPv6(literal) && !literal.includes('%'));
}
