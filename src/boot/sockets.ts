// The stage of sockets: binds all ports before anything else starts. A connection that arrives
// before its server waits.
import type { Config } from '../base/config/config.ts';
import { explainListenError } from '../base/net/listen-error.ts';
import { type BoundSocket, bindSocket } from '../transports/socket.ts';
import type { TlsPaths } from '../transports/tls/files.ts';

export type Sockets = {
  readonly http: BoundSocket;
  readonly grpc: BoundSocket;
  /** Undefined in a worker: its primary process owns the operations port. */
  readonly ops: BoundSocket | undefined;
  readonly urls: {
    readonly publicUrl: string;
    readonly grpcAddress: string;
    readonly opsUrl: string;
  };
  close(): Promise<void>;
};

export function tlsPathsOf(config: Config): TlsPaths | undefined {
  const { tlsCert, tlsKey, httpClientCa, grpcClientCa } = config;
  return tlsCert === undefined || tlsKey === undefined
    ? undefined
    : { tlsCert, tlsKey, httpClientCa, grpcClientCa };
}

async function checkTls(config: Config): Promise<void> {
  const paths = tlsPathsOf(config);
  if (paths === undefined) return;
  const { checkTlsFiles } = await import('../transports/tls/tls.ts');
  await checkTlsFiles(paths);
}

/** Throws if one of the ports is in use or a TLS file cannot be used; then binds no port. */
export async function bindSockets(
  config: Config,
): Promise<Sockets & { readonly ops: BoundSocket }> {
  const bound: BoundSocket[] = [];
  const close = async () => void (await Promise.all(bound.map((socket) => socket.close())));
  async function bind(setting: string, address: Config['http']): Promise<BoundSocket> {
    const socket = await explainListenError(setting, address, bindSocket(address));
    bound.push(socket);
    return socket;
  }
  await checkTls(config);
  try {
    const http = await bind('LATCHKEY_HTTP_ADDRESS', config.http);
    const grpc = await bind('LATCHKEY_GRPC_ADDRESS', config.grpc);
    const ops = await bind('LATCHKEY_OPS_ADDRESS', config.ops);
    const scheme = tlsPathsOf(config) === undefined ? 'http' : 'https';
    const publicUrl = config.publicUrl ?? `${scheme}://${http.address}`;
    const urls = { publicUrl, grpcAddress: grpc.address, opsUrl: `http://${ops.address}` };
    return { http, grpc, ops, urls, close };
  } catch (error) {
    await close();
    throw error;
  }
}
