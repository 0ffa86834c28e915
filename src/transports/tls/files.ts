// Reads and checks the files with the certificate, its key and the CAs of client certificates.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ListenError } from '../../base/net/listen-error.ts';

export type TlsPaths = {
  readonly tlsCert: string;
  readonly tlsKey: string;
  readonly httpClientCa?: string | undefined;
  readonly grpcClientCa?: string | undefined;
};

export type TlsContents = {
  /** The certificate and its intermediate certificates, as PEM. */
  readonly cert: Buffer;
  readonly key: Buffer;
  /** The CA certificates of clients, as PEM. */
  readonly httpClientCa: Buffer | undefined;
  readonly grpcClientCa: Buffer | undefined;
};

/** The message names the setting and is complete without a stack trace. */
class TlsFileError extends ListenError {}

const problem = (setting: string, message: string, cause?: unknown) =>
  new TlsFileError(`${setting}: ${message}`, { cause });

/** Throws a TlsFileError if a file cannot be read. */
export async function readTlsFiles(paths: TlsPaths): Promise<TlsContents> {
  const [cert, key, httpClientCa, grpcClientCa] = await Promise.all([
    read('LATCHKEY_TLS_CERT', paths.tlsCert),
    read('LATCHKEY_TLS_KEY', paths.tlsKey),
    readIfSet('LATCHKEY_HTTP_CLIENT_CA', paths.httpClientCa),
    readIfSet('LATCHKEY_GRPC_CLIENT_CA', paths.grpcClientCa),
  ]);
  return { cert, key, httpClientCa, grpcClientCa };
}

const readIfSet = async (setting: string, file: string | undefined) =>
  file === undefined ? undefined : read(setting, file);

async function read(setting: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'error';
    throw problem(setting, `names a file that cannot be read (${code})`, cause);
  }
}

/** Returns the certificate of the server. Throws a TlsFileError if it cannot be used. */
export function checkTlsContents(contents: TlsContents): X509Certificate {
  const { cert, key, httpClientCa, grpcClientCa } = contents;
  const [certificate] = certificatesIn('LATCHKEY_TLS_CERT', cert);
  if (certificate === undefined) {
    throw problem('LATCHKEY_TLS_CERT', 'names a file without a certificate in PEM');
  }
  checkKey(key);
  try {
    createSecureContext({ cert, key, minVersion: 'TLSv1.2' });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    if (/KEY_(VALUES|TYPE)_MISMATCH/.test(code)) {
      const message = 'is not the key of the certificate in LATCHKEY_TLS_CERT';
      throw problem('LATCHKEY_TLS_KEY', message, cause);
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw problem(
      'LATCHKEY_TLS_CERT',
      `names a certificate that OpenSSL refuses: ${reason}`,
      cause,
    );
  }
  if (httpClientCa !== undefined) checkClientCa('LATCHKEY_HTTP_CLIENT_CA', httpClientCa);
  if (grpcClientCa !== undefined) checkClientCa('LATCHKEY_GRPC_CLIENT_CA', grpcClientCa);
  return certificate;
}

function checkKey(key: Buffer): void {
  try {
    createSecureContext({ key });
  } catch (cause) {
    const message = 'names a file without a private key in PEM, or with an encrypted one';
    throw problem('LATCHKEY_TLS_KEY', message, cause);
  }
}

function checkClientCa(setting: string, clientCa: Buffer): void {
  const authorities = certificatesIn(setting, clientCa);
  if (authorities.length === 0) throw problem(setting, 'names a file without a certificate in PEM');
  if (!authorities.every(({ ca }) => ca)) {
    throw problem(setting, 'names a file with a certificate that is not one of a CA');
  }
}

const pemPattern = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function certificatesIn(setting: string, pem: Buffer): X509Certificate[] {
  const blocks = pem.toString('latin1').match(pemPattern) ?? [];
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (cause) {
    throw problem(setting, 'names a file with a damaged certificate', cause);
  }
}
