// The certificate that a client presented in the handshake.
import { createHash, type X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../../api/call.ts';

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
const namePattern = /([A-Za-z][A-Za-z ]*):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/y;

/** Returns no names if Node's text has an unexpected form. */
export function readAlternativeNames({
  subjectAltName,
}: Pick<X509Certificate, 'subjectAltName'>): Name[] {
  const text = subjectAltName ?? '';
  const names: Name[] = [];
  const pattern = new RegExp(namePattern);
  while (pattern.lastIndex < text.length) {
    const [, kind = '', value = ''] = pattern.exec(text) ?? [];
    if (kind === '') return [];
    names.push({ kind, value: value.startsWith('"') ? String(JSON.parse(value)) : value });
  }
  return names;
}
