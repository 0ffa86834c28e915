// The connections of HTTP/2: their number, and the time limits of connections and calls. node:http2
// has no time limits, and grpc-js leaves most of this to it.
import {
  constants,
  type Http2Server,
  type Http2Session,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Server, Socket } from 'node:net';
import { Code } from '@connectrpc/connect';
import { type Failure, fail } from '../../base/errors/errors.ts';

export type ConnectionLimits = {
  readonly connectionsMax: number;
  /** Time limit for the first accepted call on a new connection. */
  readonly silentMs: number;
  /** Time limit between calls, after the first accepted one. */
  readonly idleMs: number;
  /** Time limit from the end of a session to the end of its connection. */
  readonly lingerMs: number;
  /** The age at which a connection is retired, within 10 % at random, so that ages differ. */
  readonly ageMs: number;
  /** Time limit for the calls of a retired connection. */
  readonly graceMs: number;
  /** How long a retired connection waits for the last calls that its client has sent. */
  readonly lastCallsMs: number;
  /** Pings and settings of a client for each check of the connection. */
  readonly controlFramesMax: number;
  /** The interval of checks of connections and calls. */
  readonly checkIntervalMs: number;
};

export const connectionLimits: ConnectionLimits = {
  connectionsMax: 1000,
  silentMs: 30_000,
  idleMs: 5 * 60_000,
  lingerMs: 3_000,
  ageMs: 300_000,
  graceMs: 30_000,
  lastCallsMs: 2_000,
  controlFramesMax: 1000,
  checkIntervalMs: 1000,
};

/** Connections that node:http2 may accept beyond the limit until others are closed. */
const connectionsAtOnce = 100;

/** The interval of checks for responses that are not read. */
const unreadMs = 250;

export type ActiveCall = {
  /** When the call is ended, by `performance.now()`. */
  readonly due: number;
  readonly isAccepted: boolean;
  readonly unread?: {
    /** Counts the response if the client has not read it to its end. */
    countAnswered(): void;
  };
  expire(): void;
  /** Ends the call with an error, unless it has already ended. */
  end(failure: Failure): void;
};

export type Connections = {
  /** Counts a call while its stream is open, and ends it at its deadline. */
  add(stream: ServerHttp2Stream, call: ActiveCall): void;
  /** Retires all connections. Resolves when no further call arrives. */
  retire(): Promise<void>;
  destroy(): void;
};

type Connection = {
  readonly socket: Socket;
  session: ServerHttp2Session | undefined;
  readonly calls: Set<ActiveCall>;
  readonly openedAt: number;
  readonly retireAt: number;
  retiredSince: number | undefined;
  /** Whether an accepted call on the connection has ended. */
  wasAccepted: boolean;
  quietSince: number;
  endedSince: number | undefined;
  controlFrames: number;
};

export function limitConnections(
  server: Http2Server,
  limits: ConnectionLimits,
  /** The server that listens, if another one passes its connections on. */
  listener: Server = server,
): Connections {
  const calls = new Set<ActiveCall>();
  const connections = new Set<Connection>();
  const bySession = new WeakMap<Http2Session, Connection>();
  let latest: Connection | undefined;

  listener.maxConnections = limits.connectionsMax + connectionsAtOnce;
  server.prependListener('connection', (socket: Socket) => {
    const openedAt = performance.now();
    const connection: Connection = {
      socket,
      session: undefined,
      calls: new Set(),
      openedAt,
      retireAt: openedAt + limits.ageMs * (0.9 + Math.random() * 0.2),
      retiredSince: undefined,
      wasAccepted: false,
      quietSince: openedAt,
      endedSince: undefined,
      controlFrames: 0,
    };
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
    latest = connection;
    if (connections.size > limits.connectionsMax) endOne(connections);
  });
  // node:http2 creates the session of a connection before the event above returns.
  server.on('session', (session: ServerHttp2Session) => {
    if (latest === undefined) return;
    const connection = latest;
    latest = undefined;
    connection.session = session;
    bySession.set(session, connection);
    const count = () => countControlFrame(connection, limits.controlFramesMax);
    session.on('ping', count).on('remoteSettings', count);
  });

  const unreadTimer = setInterval(() => {
    for (const { unread } of calls) unread?.countAnswered();
  }, unreadMs).unref();
  const timer = setInterval(() => {
    const now = performance.now();
    for (const call of calls) if (call.due <= now) call.expire();
    for (const connection of connections) checkConnection(connection, now, limits);
  }, limits.checkIntervalMs).unref();
  listener.once('close', () => {
    clearInterval(timer);
    clearInterval(unreadTimer);
  });

  return {
    add(stream, call) {
      // The stream was reset before this event.
      if (stream.destroyed) return;
      const connection = stream.session && bySession.get(stream.session);
      calls.add(call);
      connection?.calls.add(call);
      stream.on('close', () => {
        calls.delete(call);
        if (connection === undefined) return;
        connection.calls.delete(call);
        connection.wasAccepted ||= call.isAccepted;
        connection.quietSince = performance.now();
      });
    },
    async retire() {
      await Promise.all([...connections].map((connection) => retire(connection, limits)));
    },
    destroy() {
      for (const { socket } of connections) socket.destroy();
    },
  };
}

/** Ends a stream and drops what its client has not read. */
export function endStream(stream: ServerHttp2Stream): void {
  stream.close(constants.NGHTTP2_CANCEL);
  // Node 24 otherwise waits until the client reads what was written.
  stream.destroy();
}

/** RFC 9113 §6.8: with this number, a GOAWAY announces the end but refuses no stream. */
const lastStreamIdMax = 2 ** 31 - 1;

/**
 * Asks the client to open no further streams on the connection, and ends the session after its
 * calls. The client answers a ping after it has read the GOAWAY, so every stream that it has opened
 * arrives before the answer.
 */
function retire(connection: Connection, { lastCallsMs }: ConnectionLimits): Promise<void> {
  const { session } = connection;
  connection.retiredSince ??= performance.now();
  if (session === undefined || session.closed || session.destroyed) return Promise.resolve();
  session.goaway(constants.NGHTTP2_NO_ERROR, lastStreamIdMax);
  return new Promise((resolve) => {
    const close = () => {
      clearTimeout(timer);
      session.close();
      resolve();
    };
    const timer = setTimeout(close, lastCallsMs).unref();
    session.ping(close);
  });
}

/** Ends the calls of a connection that was retired too long ago, and then the connection. */
function endRetired({ calls, socket }: Connection, lateMs: number, lingerMs: number): void {
  const detail = 'The connection has reached its maximum age.';
  const failure = fail('canceled', detail, { grpc: Code.Unavailable });
  for (const call of calls) call.end(failure);
  if (lateMs > lingerMs) socket.destroy();
}

function checkConnection(connection: Connection, now: number, limits: ConnectionLimits): void {
  const { socket, session } = connection;
  connection.controlFrames = 0;
  const { retiredSince, retireAt } = connection;
  if (retiredSince === undefined) {
    if (now >= retireAt) void retire(connection, limits);
  } else if (now - retiredSince >= limits.graceMs) {
    endRetired(connection, now - retiredSince - limits.graceMs, limits.lingerMs);
  }
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

/** Ends the oldest connection without an accepted call to make room for the newest one. */
function endOne(connections: Set<Connection>): void {
  const anonymous = [...connections].filter(
    ({ wasAccepted, calls }) => !wasAccepted && ![...calls].some(({ isAccepted }) => isAccepted),
  );
  const older = anonymous.slice(0, -1);
  const ended = older.find(({ calls }) => calls.size === 0) ?? older[0] ?? anonymous[0];
  if (ended === undefined) return;
  connections.delete(ended);
  // This can be the newest connection, which has no session yet.
  setImmediate(() => ended.socket.destroy());
}

/** Limits control frames, because a flood costs its sender little (CVE-2019-9512, -9515). */
function countControlFrame(connection: Connection, controlFramesMax: number): void {
  connection.controlFrames += 1;
  if (connection.controlFrames !== controlFramesMax + 1) return;
  const error = new Error('too many control frames');
  connection.session?.destroy(error, constants.NGHTTP2_ENHANCE_YOUR_CALM);
}
