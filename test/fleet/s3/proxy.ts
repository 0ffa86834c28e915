// A TCP proxy in front of an S3 store: it breaks, delays and counts bytes, and answers requests.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

export type StoreProxy = {
  /** The origin of the store through the proxy. */
  readonly endpoint: string;
  /** Changes the requests; undefined passes them on. */
  changeRequests(change: ((chunk: Buffer) => Buffer) | undefined): void;
  /** Changes the responses. Without a function, they stay unchanged. */
  changeResponses(change: ((chunk: Buffer) => Buffer) | undefined): void;
  /**
   * Answers requests instead of the store. The function receives the start of a request, and
   * returns a response, or undefined to pass it on.
   */
  answerRequests(answer: ((request: string) => string | undefined) | undefined): void;
  /** Passes on nothing until it is called with false. */
  hold(isHeld: boolean): void;
  /** The bytes that the store has received. */
  sentBytes(): number;
  /** The bytes that the client has received. */
  receivedBytes(): number;
  connections(): number;
  cutConnections(): void;
  close(): Promise<void>;
};

/** With a certificate, the proxy accepts TLS. */
export async function startStoreProxy(target: string, tls?: TlsOptions): Promise<StoreProxy> {
  const { hostname, port } = new URL(target);
  const clients = new Set<Socket>();
  const paused: (() => void)[] = [];
  let change: ((chunk: Buffer) => Buffer) | undefined;
  let changeResponse: ((chunk: Buffer) => Buffer) | undefined;
  let answer: ((request: string) => string | undefined) | undefined;
  let isHeld = false;
  let [sent, received] = [0, 0];

  function pump(from: Socket, to: Socket, pass: (chunk: Buffer) => Buffer): void {
    from.on('data', (chunk: Buffer) => {
      const forward = () => {
        if (!to.write(pass(chunk))) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      };
      if (!isHeld) return forward();
      from.pause();
      paused.push(() => {
        forward();
        from.resume();
      });
    });
    from.on('error', () => {}).once('close', () => to.destroy());
  }

  function serve(client: Socket): void {
    clients.add(client);
    client.once('close', () => clients.delete(client));
    const upstream = connect(Number(port), hostname);
    pump(client, upstream, (chunk) => {
      const response = answer?.(chunk.toString('latin1'));
      if (response !== undefined) {
        // The rest of the request is ignored.
        client.removeAllListeners('data').resume();
        client.end(response);
        return Buffer.alloc(0);
      }
      sent += chunk.length;
      return change === undefined ? chunk : change(chunk);
    });
    pump(upstream, client, (chunk) => {
      received += chunk.length;
      return changeResponse === undefined ? chunk : changeResponse(chunk);
    });
  }

  const server: Server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const ownPort = typeof bound === 'object' ? bound?.port : '';
  const cutConnections = () => {
    for (const client of clients) client.destroy();
  };
  return {
    endpoint: `http${tls === undefined ? '' : 's'}://127.0.0.1:${ownPort}`,
    changeRequests(next) {
      change = next;
    },
    changeResponses(next) {
      changeResponse = next;
    },
    answerRequests(next) {
      answer = next;
    },
    hold(next) {
      isHeld = next;
      if (!isHeld) for (const resume of paused.splice(0)) resume();
    },
    sentBytes: () => sent,
    receivedBytes: () => received,
    connections: () => clients.size,
    cutConnections,
    async close() {
      cutConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
