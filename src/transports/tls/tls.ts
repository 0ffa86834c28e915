// TLS for both listeners. New connections use the files' new contents soon after a change.
import { constants, type X509Certificate } from 'node:crypto';
import type { Http2Server } from 'node:http2';
import type { Socket } from 'node:net';
import { createServer, type SecureContextOptions, type Server, type TlsOptions } from 'node:tls';
import { checkTlsContents, readTlsFiles, type TlsContents, type TlsPaths } from './files.ts';

export type TlsLog = {
  readonly info: (facts: object, message: string) => void;
  readonly warn: (facts: object, message: string) => void;
  readonly error: (facts: object, message: string) => void;
};

export type Listener = 'http' | 'grpc';

export type Tls = {
  optionsOf(listener: Listener): TlsOptions;
  /** Gives the server each new certificate, and ends the handshakes that began with another CA. */
  keepCurrent(server: Server, listener: Listener): void;
  /** Calls back after the CA of the listener's client certificates has changed. */
  onClientCaChange(listener: Listener, callback: () => void): void;
  /** Returns when the certificate in use expires, in milliseconds since 1970. */
  expireTime(): number;
  close(): void;
};

export type TlsOpenOptions = {
  readonly paths: TlsPaths;
  readonly log: TlsLog;
  readonly times?: Partial<TlsTimes> | undefined;
};

export type TlsTimes = {
  readonly pollMs: number;
  readonly handshakeMs: number;
};

const defaultTimes: TlsTimes = { pollMs: 2_000, handshakeMs: 10_000 };

/** Throws a TlsFileError if the files cannot be used. */
export async function checkTlsFiles(paths: TlsPaths): Promise<X509Certificate> {
  return checkTlsContents(await readTlsFiles(paths));
}

/** A certificate that expires sooner is reported. */
export const soonMs = 14 * 86_400_000;

/** Throws a TlsFileError if the files cannot be used. */
export async function openTls({ paths, log, times }: TlsOpenOptions): Promise<Tls> {
  const { pollMs, handshakeMs } = { ...defaultTimes, ...times };
  let current = await readTlsFiles(paths);
  let certificate = checkTlsContents(current);
  warnIfExpiring(certificate, log);
  const servers = new Map<Server, Listener>();
  const caCallbacks: Record<Listener, (() => void)[]> = { http: [], grpc: [] };

  function replace(next: TlsContents): void {
    certificate = checkTlsContents(next);
    const before = current;
    current = next;
    for (const [server, listener] of servers) {
      server.setSecureContext(contextOf(current, listener));
    }
    const { fingerprint256, validTo } = certificate;
    log.info({ fingerprint256, expire_time: validTo }, 'TLS files reloaded');
    warnIfExpiring(certificate, log);
    for (const listener of ['http', 'grpc'] as const) {
      if (isEqual(clientCaOf(next, listener), clientCaOf(before, listener))) continue;
      for (const callback of caCallbacks[listener]) callback();
    }
  }

  const poll = createPoll(paths, log, () => current, replace);
  const timer = setInterval(() => void poll(), pollMs).unref();
  return {
    optionsOf: (listener) => ({
      ...contextOf(current, listener),
      handshakeTimeout: handshakeMs,
      ALPNProtocols: listener === 'grpc' ? ['h2'] : ['h2', 'http/1.1'],
      ...(clientCaOf(current, listener) === undefined
        ? {}
        : // The issuance of tokens checks the certificate, and says what is wrong with it.
          { requestCert: true, rejectUnauthorized: false }),
    }),
    keepCurrent(server, listener) {
      servers.set(server, listener);
      server.setSecureContext(contextOf(current, listener));
      server.once('close', () => servers.delete(server));
      if (clientCaOf(current, listener) === undefined) return;
      const handshakes = trackHandshakes(server);
      caCallbacks[listener].push(() => {
        for (const socket of handshakes) socket.destroy();
      });
    },
    onClientCaChange: (listener, callback) => void caCallbacks[listener].push(callback),
    expireTime: () => Date.parse(certificate.validTo),
    close: () => clearInterval(timer),
  };
}

/**
 * Returns a function that reads the files and replaces changed contents. Two files cannot change at
 * the same time: contents that do not fit are reported only if they are the same at the next
 * reading.
 */
function createPoll(
  paths: TlsPaths,
  log: TlsLog,
  current: () => TlsContents,
  replace: (next: TlsContents) => void,
): () => Promise<void> {
  let isReading = false;
  let lastProblem = '';
  let reported = '';
  return async () => {
    if (isReading) return;
    isReading = true;
    try {
      const next = await readTlsFiles(paths);
      const before = current();
      if (!names.every((name) => isEqual(next[name], before[name]))) replace(next);
      lastProblem = '';
      reported = '';
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason === lastProblem && reason !== reported) {
        reported = reason;
        log.error({ reason }, 'cannot use the new TLS files; the old certificate is still in use');
      }
      lastProblem = reason;
    } finally {
      isReading = false;
    }
  };
}

const names = ['cert', 'key', 'httpClientCa', 'grpcClientCa'] as const;

const clientCaOf = (contents: TlsContents, listener: Listener) => contents[`${listener}ClientCa`];

const isEqual = (a: Buffer | undefined, b: Buffer | undefined) =>
  a === undefined || b === undefined ? a === b : a.equals(b);

function contextOf(contents: TlsContents, listener: Listener): SecureContextOptions {
  const { cert, key } = contents;
  const ca = clientCaOf(contents, listener);
  const { SSL_OP_NO_RENEGOTIATION, SSL_OP_NO_TICKET } = constants;
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    // A resumed session would skip the check of the client certificate.
    secureOptions: SSL_OP_NO_RENEGOTIATION | (ca === undefined ? 0 : SSL_OP_NO_TICKET),
    ...(ca === undefined ? {} : { ca }),
  };
}

function warnIfExpiring({ validTo }: X509Certificate, log: TlsLog): void {
  const leftMs = Date.parse(validTo) - Date.now();
  if (leftMs >= soonMs) return;
  const text = leftMs < 0 ? 'has expired' : 'expires soon';
  log.warn({ expire_time: validTo }, `the certificate in LATCHKEY_TLS_CERT ${text}`);
}

function trackHandshakes(listener: Server): Iterable<Socket> {
  const handshakes = new Map<string, Socket>();
  // The two events below have different objects for one connection.
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  listener.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    handshakes.set(name, socket);
    socket.once('close', () => {
      if (handshakes.get(name) === socket) handshakes.delete(name);
    });
  });
  listener.on('secureConnection', (socket) => handshakes.delete(nameOf(socket)));
  return { [Symbol.iterator]: () => handshakes.values() };
}

/**
 * A TLS server for the gRPC listener, in front of its HTTP/2 server, which has no port. So the
 * limits of connections are the same with and without TLS.
 */
export function createSecureListener(tls: Tls, server: Http2Server): Server {
  const listener = createServer({ ...tls.optionsOf('grpc'), noDelay: true });
  tls.keepCurrent(listener, 'grpc');
  listener.on('secureConnection', (socket) => {
    socket.on('error', () => {});
    if (socket.alpnProtocol === 'h2') server.emit('connection', socket);
    else socket.destroy();
  });
  listener.on('tlsClientError', (_error, socket) => socket.destroy());
  return listener;
}
