// TLS with a private CA or a client certificate, for gRPC in Node.
import { readFileSync } from 'node:fs';
import type { SecureClientSessionOptions } from 'node:http2';
import { isIP } from 'node:net';
import { connect } from 'node:tls';

/** PEM files, by their paths. A new connection reads them, so it uses a renewed certificate. */
export type TlsFiles = {
  /** The CA of the server. By default the CAs that Node trusts. */
  readonly caFile?: string;
  /** The certificate of the client and its intermediate certificates. */
  readonly certFile?: string;
  /** The key of that certificate, not encrypted. */
  readonly keyFile?: string;
};

/** Throws a TypeError if the options cannot work. */
export function tlsOptionsOf(grpcUrl: string, files: TlsFiles): SecureClientSessionOptions {
  if (new URL(grpcUrl).protocol !== 'https:') throw new TypeError('tls needs an https grpcUrl.');
  if ((files.certFile === undefined) !== (files.keyFile === undefined)) {
    throw new TypeError('tls needs certFile and keyFile together.');
  }
  const read = (file: string | undefined) => (file === undefined ? undefined : readFileSync(file));
  return {
    createConnection({ hostname, port }) {
      const host = hostname.replace(/^\[|\]$/g, '');
      return connect({
        host,
        port: Number(port || 443),
        // The name may not be an address (RFC 6066 §3).
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ALPNProtocols: ['h2'],
        ca: read(files.caFile),
        cert: read(files.certFile),
        key: read(files.keyFile),
      });
    },
  };
}
