// The stage of sockets: binds all ports before anything else starts. A connection that arrives
// before its server waits.
import type { Config } from '../config/config.ts';
import { explainListenError } from '../net/listen-error.ts';
import { type BoundSocket, bindSocket } from '../transports/socket.ts';

export type Sockets = {
  readonly http: BoundSocket;
  readonly grpc: BoundSocket;
  /** Undefined in a worker: its primary process owns the operations port. */
  readonly ops: BoundSocket | undefined;
  readonly urls: {
    readonly publicUrl: string;
    /** `<host>:<port>` */
    readonly grpcAddress: string;
    readonly opsUrl: string;
  };
  close(): Promise<void>;
};

/** Throws if one of the ports is in use; then binds none. */
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
  try {
    const http = await bind('LATCHKEY_HTTP_ADDRESS', config.http);
    const grpc = await bind('LATCHKEY_GRPC_ADDRESS', config.grpc);
    const ops = await bind('LATCHKEY_OPS_ADDRESS', config.ops);
    const publicUrl = config.publicUrl ?? `http://${http.address}`;
    const urls = { publicUrl, grpcAddress: grpc.address, opsUrl: `http://${ops.address}` };
    return { http, grpc, ops, urls, close };
  } catch (error) {
    await close();
    throw error;
  }
}
