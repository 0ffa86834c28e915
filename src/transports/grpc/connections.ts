// The connections of the gRPC listener: how many there may be, and when one of them, or one of its
// calls, is ended. grpc-js leaves most of this to node:http2, which waits without a limit.
import {
  constants,
  type Http2Server,
  type Http2Session,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Server } from '@grpc/grpc-js';

export type ConnectionLimits = {
  readonly connectionsMax: number;
  /** For the first accepted call on a new connection. */
  readonly silentMs: number;
  /** Between one call and the next, once one was accepted. */
  readonly idleMs: number;
  /** From the end of a session to the end of its connection. */
  readonly lingerMs: number;
  /** Pings and settings of a client, per look at the connection. */
  readonly controlFramesMax: number;
  /** Between two looks at connections and calls. */
  readonly lookMs: number;
};

export const connectionLimits: ConnectionLimits = {
  connectionsMax: 1000,
  silentMs: 30_000,
  idleMs: 5 * 60_000,
  lingerMs: 3_000,
  controlFramesMax: 1000,
  lookMs: 1000,
};

/** Connections that node:http2 may hold beyond the limit until we have ended as many others. */
const connectionsAtOnce = 100;

export type ActiveCall = {
  /** When it is ended, by `performance.now()`. */
  readonly due: number;
  /** Whether its caller has shown a credential that was accepted. */
  readonly isAccepted: boolean;
  expire(): void;
};

export type Connections = {
  /** Counts a call as long as its stream lives, and expires it when it is due. */
  add(stream: ServerHttp2Stream, call: ActiveCall): void;
  /** Ends all of them at once. */
  destroy(): void;
};

type Connection = {
  readonly socket: Socket;
  session: ServerHttp2Session | undefined;
  readonly calls: Set<ActiveCall>;
  readonly openedAt: number;
  /** Whether it has had an accepted call, which has ended. */
  wasAccepted: boolean;
  quietSince: number;
  endedSince: number | undefined;
  controlFrames: number;
};

export function guardConnections(server: Http2Server, limits: ConnectionLimits): Connections {
  const calls = new Set<ActiveCall>();
  const connections = new Set<Connection>();
  const bySession = new WeakMap<Http2Session, Connection>();
  let latest: Connection | undefined;

  server.maxConnections = limits.connectionsMax + connectionsAtOnce;
  server.prependListener('connection', (socket: Socket) => {
    const connection: Connection = {
      socket,
      session: undefined,
      calls: new Set(),
      openedAt: performance.now(),
      wasAccepted: false,
      quietSince: performance.now(),
      endedSince: undefined,
      controlFrames: 0,
    };
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
    latest = connection;
    if (connections.size > limits.connectionsMax) endOne(connections);
  });
  // node:http2 makes the session of a connection before it returns from the event above.
  server.on('session', (session: ServerHttp2Session) => {
    if (latest === undefined) return;
    const connection = latest;
    latest = undefined;
    connection.session = session;
    bySession.set(session, connection);
    const count = () => countControlFrame(connection, limits.controlFramesMax);
    session.on('ping', count).on('remoteSettings', count);
  });

  const timer = setInterval(() => {
    const now = performance.now();
    for (const call of calls) if (call.due <= now) call.expire();
    for (const connection of connections) look(connection, now, limits);
  }, limits.lookMs).unref();
  server.once('close', () => clearInterval(timer));

  return {
    add(stream, call) {
      // Reset before it reached us: its end has been announced already.
      if (stream.destroyed) return;
      const connection = stream.session && bySession.get(stream.session);
      calls.add(call);
      connection?.calls.add(call);
      stream.once('close', () => {
        calls.delete(call);
        if (connection === undefined) return;
        connection.calls.delete(call);
        connection.wasAccepted ||= call.isAccepted;
        connection.quietSince = performance.now();
      });
    },
    destroy() {
      for (const { socket } of connections) socket.destroy();
    },
  };
}

function look(connection: Connection, now: number, limits: ConnectionLimits): void {
  const { socket, session } = connection;
  connection.controlFrames = 0;
  if (connection.endedSince !== undefined) {
    if (now - connection.endedSince >= limits.lingerMs) socket.destroy();
  } else if (session === undefined || session.closed || session.destroyed || socket.readableEnded) {
    if (connection.calls.size === 0) connection.endedSince = now;
  } else if (connection.calls.size === 0) {
    const { wasAccepted, quietSince, openedAt } = connection;
    const isDue = wasAccepted
      ? now - quietSince >= limits.idleMs
      : now - openedAt >= limits.silentMs;
    if (isDue) session.close();
  }
}

/** Ends the oldest connection without an accepted call, so that the newest one has its place. */
function endOne(connections: Set<Connection>): void {
  const anonymous = [...connections].filter(
    ({ wasAccepted, calls }) => !wasAccepted && ![...calls].some(({ isAccepted }) => isAccepted),
  );
  const older = anonymous.slice(0, -1);
  const ended = older.find(({ calls }) => calls.size === 0) ?? older[0] ?? anonymous[0];
  if (ended === undefined) return;
  connections.delete(ended);
  // It may be the newest one, which has no session yet.
  setImmediate(() => ended.socket.destroy());
}

/** A flood of them costs us far more than its sender (CVE-2019-9512, CVE-2019-9515). */
function countControlFrame(connection: Connection, controlFramesMax: number): void {
  connection.controlFrames += 1;
  if (connection.controlFrames !== controlFramesMax + 1) return;
  const error = new Error('too many control frames');
  connection.session?.destroy(error, constants.NGHTTP2_ENHANCE_YOUR_CALM);
}

/** The server of node:http2 within one of grpc-js that listens. grpc-js has no public way to it. */
export function http2ServerOf(server: Server): Http2Server {
  const { http2Servers } = server as unknown as { http2Servers?: Map<Http2Server, unknown> };
  const [found] = http2Servers?.keys() ?? [];
  if (found === undefined) throw new Error('grpc-js no longer has http2Servers');
  return found;
}

/** The stream of a call, as an interceptor receives it. grpc-js has no public way to it. */
export function streamOf(call: object): ServerHttp2Stream {
  const { stream } = call as { stream?: ServerHttp2Stream };
  if (stream === undefined) throw new Error('a call of grpc-js no longer has a stream');
  return stream;
}
