// gRPC clients that do what no library does: calls that stay unfinished, and hand-made frames.
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
} from 'node:http2';
import { connect, type Socket } from 'node:net';
import type { GrpcLimits } from '../../src/transports/grpc/server.ts';

/** Short, so that a test need not wait, but longer than a call takes. */
export const shortLimits: Partial<GrpcLimits> = {
  bodyMs: 1500,
  uploadMs: 3000,
  unreadMs: 1000,
  trailingBodyMs: 300,
  silentMs: 2000,
  idleMs: 2500,
  lingerMs: 300,
  checkIntervalMs: 100,
  connectionsMax: 400,
  controlFramesMax: 50,
  lastingCallsMax: 3,
  reflectionMs: 1500,
};

export type RawCall = {
  readonly stream: ClientHttp2Stream;
  /** `grpc-status`, or `closed <reset code>` if the call ended without one. */
  readonly status: Promise<string>;
  /** The headers and trailers so far. */
  headers(): Record<string, unknown>;
};

/** Opens a session without a limit on unfinished request bodies. */
export async function openSession(address: string): Promise<ClientHttp2Session> {
  const session = connectHttp2(`http://${address}`, { maxSessionMemory: 2000 });
  session.on('error', () => {});
  await once(session, 'remoteSettings');
  return session;
}

export function openCall(
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string> = {},
): RawCall {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  const received: Record<string, unknown> = {};
  const status = new Promise<string>((resolve) => {
    const note = (fields: object) => {
      Object.assign(received, fields);
      const { 'grpc-status': code } = received;
      if (code !== undefined) resolve(String(code));
    };
    stream
      .on('response', note)
      .on('trailers', note)
      .on('error', () => {});
    stream.on('close', () => resolve(`closed ${stream.rstCode}`));
  });
  stream.resume();
  return { stream, status, headers: () => received };
}

/** The prefix of a message of this length (gRPC over HTTP/2, Length-Prefixed-Message). */
export function prefix(length: number, flags = 0): Buffer {
  const bytes = Buffer.alloc(5);
  bytes[0] = flags;
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

export const frameTypes = { headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7, more: 9 };

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** A frame (RFC 9113 §4.1). */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export const settings = (...payload: number[]) =>
  frame(frameTypes.settings, 0, 0, Buffer.from(payload));

/** The header block of a call, with every field as a literal (RFC 7541 §6.2.2). */
export function headerBlock(path: string): Buffer {
  const fields = {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': 'latchkey.test',
    'content-type': 'application/grpc',
    te: 'trailers',
  };
  const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
  const literal = ([name, value]: [string, string]) =>
    Buffer.concat([Buffer.from([0]), text(name), text(value)]);
  return Buffer.concat(Object.entries(fields).map(literal));
}

export type RawConnection = {
  readonly socket: Socket;
  /** Resolves when the connection closes, also if the server closes it. */
  readonly closed: Promise<'closed'>;
  isClosed(): boolean;
  /** The types of the received frames, and the error code of a GOAWAY. */
  frames(): { types: number[]; goaway: number | undefined };
};

export async function openConnection(address: string, ...bytes: Buffer[]): Promise<RawConnection> {
  const [host = '', port] = address.split(':');
  const socket = connect({ host, port: Number(port) });
  let received = Buffer.alloc(0);
  let isClosed = false;
  socket
    .on('error', () => {})
    .on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
    });
  const closed = new Promise<'closed'>((resolve) => {
    socket.once('close', () => {
      isClosed = true;
      resolve('closed');
    });
  });
  await once(socket, 'connect');
  if (bytes.length > 0) socket.write(Buffer.concat(bytes));
  return {
    socket,
    closed,
    isClosed: () => isClosed,
    frames() {
      const types: number[] = [];
      let goaway: number | undefined;
      for (let at = 0; at + 9 <= received.length; at += 9 + received.readUIntBE(at, 3)) {
        const type = received[at + 3] ?? -1;
        types.push(type);
        if (type === frameTypes.goaway) goaway = received.readUInt32BE(at + 13);
      }
      return { types, goaway };
    },
  };
}
