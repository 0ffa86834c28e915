// A client over HTTP/2 that never reads: the window of each of its streams is 0.
import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';

export type UnreadRequest = {
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: Uint8Array;
};

export type UnreadStream = {
  readonly stream: ClientHttp2Stream;
  /** The status of the response so far; 0 without one. */
  status(): number;
  header(name: string): unknown;
  /** From the headers or the trailers; empty without one. */
  grpcStatus(): string;
  isClosed(): boolean;
};

export type UnreadClient = {
  readonly session: ClientHttp2Session;
  open(request: UnreadRequest): UnreadStream;
};

export async function openUnreadClient(
  url: string,
  options: { ca?: string; initialWindowSize?: number } = {},
): Promise<UnreadClient> {
  const { ca, initialWindowSize = 0 } = options;
  const session = connect(url, { ...(ca ? { ca } : {}), settings: { initialWindowSize } });
  session.on('error', () => {});
  await once(session, 'remoteSettings');
  return {
    session,
    open({ path, headers = {}, body }) {
      const method = body === undefined ? 'GET' : 'POST';
      const stream = session.request({ ':path': path, ':method': method, ...headers });
      stream.on('error', () => {});
      let received: Record<string, unknown> = {};
      let isClosed = false;
      stream.on('response', (fields) => {
        received = { ...fields };
      });
      stream.on('trailers', (fields) => {
        received = { ...received, ...fields };
      });
      stream.on('close', () => {
        isClosed = true;
      });
      stream.end(body);
      return {
        stream,
        status: () => Number(received[':status'] ?? 0),
        header: (name) => received[name],
        grpcStatus: () => String(received['grpc-status'] ?? ''),
        isClosed: () => isClosed,
      };
    },
  };
}
