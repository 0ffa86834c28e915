// The app with TLS, and clients that trust its CA.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type ClientHttp2Session, connect } from 'node:http2';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { credentials } from '@grpc/grpc-js';
import { type Authority, createAuthority, type KeyPair } from './certificates.ts';
import { startTestApp, type TestApp, type TestAppOptions } from './harness.ts';
import { openGrpcTransport, type Transport } from './transports.ts';

export const localNames = { dns: ['localhost'], ip: '127.0.0.1' };

export type TlsFiles = {
  readonly authority: Authority;
  readonly folder: string;
  readonly paths: { readonly tlsCert: string; readonly tlsKey: string };
  /** Replaces the contents of the files. */
  write(pair: Partial<KeyPair>): Promise<void>;
  remove(): Promise<void>;
};

export async function createTlsFiles(): Promise<TlsFiles> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-tls-'));
  const authority = createAuthority('Test authority');
  const paths = { tlsCert: path.join(folder, 'tls.crt'), tlsKey: path.join(folder, 'tls.key') };
  const files: TlsFiles = {
    authority,
    folder,
    paths,
    async write({ certificate, key }) {
      if (certificate !== undefined) await writeFile(paths.tlsCert, certificate);
      if (key !== undefined) await writeFile(paths.tlsKey, key);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
  await files.write(authority.issue(localNames));
  return files;
}

export type TlsApp = TestApp & {
  readonly files: TlsFiles;
  /** Replaces the file with the CA of client certificates. */
  writeClientCa(authority: Authority): Promise<void>;
};

export type TlsAppOptions = TestAppOptions & {
  /** The CA of client certificates for both listeners; by default none. */
  readonly clientAuthority?: Authority;
};

export async function startTlsApp(options: TlsAppOptions = {}): Promise<TlsApp> {
  const { config, clientAuthority, ...rest } = options;
  const files = await createTlsFiles();
  const clientCa = path.join(files.folder, 'client-ca.crt');
  const writeClientCa = ({ certificate }: Authority) => writeFile(clientCa, certificate);
  if (clientAuthority !== undefined) await writeClientCa(clientAuthority);
  const clientCas =
    clientAuthority === undefined ? {} : { httpClientCa: clientCa, grpcClientCa: clientCa };
  const app = await startTestApp({
    tlsTimes: { pollMs: 50 },
    config: { ...files.paths, ...clientCas, ...config },
    ...rest,
  });
  return {
    ...app,
    files,
    writeClientCa,
    async remove() {
      await app.remove();
      await files.remove();
    },
  };
}

/** A gRPC transport with the certificate, on a new connection. */
export function openTlsGrpc({ app, files }: TlsApp, pair?: KeyPair): Transport {
  const ca = Buffer.from(files.authority.certificate);
  const own = pair === undefined ? [] : [Buffer.from(pair.key), Buffer.from(pair.certificate)];
  const options = { 'grpc.use_local_subchannel_pool': 1 };
  return openGrpcTransport(app, credentials.createSsl(ca, ...own), options);
}

export type TlsAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
  /** The fingerprint of the server's certificate. */
  readonly fingerprint: string;
};

export type TlsRequest = {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
};

export type TlsClient = {
  send(path: string, request?: TlsRequest): Promise<TlsAnswer>;
  close(): void;
};

/** node:http and node:http2 give a TLSSocket another type. */
const fingerprintOf = (socket: unknown) =>
  (socket as TLSSocket).getPeerX509Certificate()?.fingerprint256 ?? '';

/** The options of a client that presents the certificate. */
const certificateOptions = (pair: KeyPair | undefined) =>
  pair === undefined ? {} : { cert: pair.certificate, key: pair.key };

export function openHttp1(url: string, ca: string, pair?: KeyPair): TlsClient {
  const own = certificateOptions(pair);
  const agent = new Agent({ ca, ...own, keepAlive: true, ALPNProtocols: ['http/1.1'] });
  return {
    send: (target, { method = 'GET', headers = {}, body } = {}) =>
      new Promise((resolve, reject) => {
        const sent = request(url + target, { agent, method, headers }, (response) => {
          const { statusCode: status = 0, headers: received } = response;
          const fingerprint = fingerprintOf(response.socket);
          buffer(response).then((bytes) => {
            resolve({ status, headers: received, body: bytes, fingerprint });
          }, reject);
        });
        sent.once('error', reject);
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}

export function openHttp2(
  url: string,
  ca: string,
  pair?: KeyPair,
): TlsClient & { session: ClientHttp2Session } {
  const session = connect(url, { ca, ...certificateOptions(pair) });
  session.on('error', () => {});
  return {
    session,
    async send(target, { method = 'GET', headers = {}, body } = {}) {
      const stream = session.request({ ':path': target, ':method': method, ...headers });
      const answered = new Promise<Record<string, unknown>>((resolve, reject) => {
        stream.once('response', resolve).once('error', reject);
        session.once('error', reject);
      });
      stream.end(body);
      const { ':status': status, ...received } = await answered;
      const bytes = await buffer(stream);
      const fingerprint = fingerprintOf(session.socket);
      return { status: Number(status), headers: received, body: bytes, fingerprint };
    },
    close: () => session.destroy(),
  };
}
