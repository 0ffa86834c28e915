// The facts about a request: its path, its id, its Host, the address of its caller behind proxies,
// and the certificate that the caller presented in the handshake.
import { createHash, type X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import proxyAddr from '@fastify/proxy-addr';
import { type ClientCertificate, requestIdFrom } from '../../api/call.ts';
import { normaliseAddress } from '../../base/net/network.ts';

type Request = Pick<IncomingMessage, 'rawHeaders' | 'headers' | 'httpVersion'>;

export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

export function readRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const header = headers['x-request-id'];
  return requestIdFrom(typeof header === 'string' ? header : undefined);
}

/**
 * Returns why the head is refused; undefined if it is valid. A proxy may have routed or refused a
 * request by its Host (RFC 9110 §7.2), so a request with an invalid or a second one is refused (RFC
 * 9112 §3.2). HTTP/1.0 does not require a Host.
 */
export function findHeadProblem(request: Request): string | undefined {
  // HTTP/2 has `:authority`, which stays if `Host` is different.
  const authorities = request.headers[':authority'] === undefined ? 0 : 1;
  if (authorities + countLines(request, 'host') > 1) {
    return 'The request contains more than one Host header.';
  }
  const credentialProblem = findCredentialProblem(request);
  if (credentialProblem !== undefined) return credentialProblem;
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

/** A proxy may have checked another credential than the first one, which Node keeps. */
export const findCredentialProblem = (request: Pick<IncomingMessage, 'rawHeaders'>) =>
  countLines(request, 'authorization') > 1
    ? 'The request contains more than one Authorization header.'
    : undefined;

function countLines({ rawHeaders }: Pick<Request, 'rawHeaders'>, header: string): number {
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

/**
 * Reads it from the socket of a connection, or from that of an HTTP/2 request. Headers of a proxy
 * are ignored. Returns undefined without TLS, or if the client presented no certificate.
 */
export function clientCertificateOf(given: object | undefined): ClientCertificate | undefined {
  const socket: Partial<TLSSocket> = given ?? {};
  const certificate = socket.getPeerX509Certificate?.();
  if (certificate === undefined) return undefined;
  const names = readAlternativeNames(certificate);
  return {
    uris: names.filter(({ kind }) => kind === 'URI').map(({ value }) => value),
    dnsNames: names.filter(({ kind }) => kind === 'DNS').map(({ value }) => value.toLowerCase()),
    startTime: Date.parse(certificate.validFrom),
    expireTime: Date.parse(certificate.validTo),
    isTrusted: socket.authorized === true,
    sha256: createHash('sha256').update(certificate.raw).digest('base64url'),
  };
}

type Name = { readonly kind: string; readonly value: string };

/** Node quotes a value in which a comma or a quotation mark could look like another name. */
const alternativeNamePattern = /([A-Za-z][A-Za-z ]*):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/y;

/** Returns no names if Node's text has an unexpected form, or a name that cannot be stored. */
export function readAlternativeNames({
  subjectAltName,
}: Pick<X509Certificate, 'subjectAltName'>): Name[] {
  const text = subjectAltName ?? '';
  const names: Name[] = [];
  const pattern = new RegExp(alternativeNamePattern);
  while (pattern.lastIndex < text.length) {
    const [, kind = '', value = ''] = pattern.exec(text) ?? [];
    if (kind === '') return [];
    const name = value.startsWith('"') ? String(JSON.parse(value)) : value;
    // PostgreSQL cannot store NUL in a text.
    if (name.includes('\0')) return [];
    names.push({ kind, value: name });
  }
  return names;
}
