// Raw Connect and gRPC-Web: frames that no client library sends, and the resulting errors.
import { ConnectError } from '@connectrpc/connect';
import { encodeEnvelope } from '@connectrpc/connect/protocol';
import { endStreamFromJson, errorFromJsonBytes } from '@connectrpc/connect/protocol-connect';
import { findTrailerError } from '@connectrpc/connect/protocol-grpc';
import { trailerParse } from '@connectrpc/connect/protocol-grpc-web';
import { openRawHttp, type RawResponse, requestHead } from './raw-http.ts';
import { connectError, type TransportError } from './transports.ts';

/** The flag of a frame with a compressed message. */
export const compressed = 1;

export function frame(data: Uint8Array | string, flags = 0): Buffer {
  return Buffer.from(encodeEnvelope(flags, Buffer.from(data)));
}

/** A frame whose announced length exceeds its content. */
export function frameHead(length: number): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(length, 1);
  return head;
}

export function post(path: string, type: string, more: Record<string, string> = {}) {
  const headers = { Host: 'latchkey.test', 'Content-Type': type, ...more };
  return {
    /** The head of a request whose body has this many bytes. */
    announcing: (bytes: number) =>
      requestHead('POST', path, { ...headers, 'Content-Length': String(bytes) }),
    with(body: Uint8Array | string) {
      const length = String(Buffer.byteLength(body));
      const head = requestHead('POST', path, { ...headers, 'Content-Length': length });
      return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
    },
    /** The head of a request with a chunked body. */
    chunked: requestHead('POST', path, { ...headers, 'Transfer-Encoding': 'chunked' }),
  };
}

export function chunk(data: Uint8Array | string): Buffer {
  const bytes = Buffer.from(data);
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]);
}

/** The answer to one request on a new connection; undefined if none arrives in time. */
export async function answerTo(
  port: number,
  request: Uint8Array | string,
  patienceMs = 20_000,
): Promise<RawResponse | undefined> {
  const connection = await openRawHttp(port);
  await connection.write(request);
  const answer = await within(patienceMs, connection.response());
  connection.reset();
  return answer;
}

export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The error in an answer, parsed by its protocol; undefined for a success. */
export function errorIn({ status, headers, body }: RawResponse): TransportError | undefined {
  const type = headers.get('content-type') ?? '';
  if (type === 'application/json') {
    return status === 200
      ? undefined
      : connectError(errorFromJsonBytes(body, undefined, new ConnectError('no error')));
  }
  const [last] = framesOf(body).slice(-1);
  if (last === undefined) return undefined;
  if (type.startsWith('application/grpc-web')) {
    const error = (last.flags & 0x80) !== 0 ? findTrailerError(trailerParse(last.data)) : undefined;
    return error === undefined ? undefined : connectError(error);
  }
  const { error } = endStreamFromJson(last.data);
  return error === undefined ? undefined : connectError(error);
}

function framesOf(body: Buffer): { flags: number; data: Buffer }[] {
  const frames: { flags: number; data: Buffer }[] = [];
  for (let at = 0; at + 5 <= body.length; ) {
    const length = body.readUInt32BE(at + 1);
    frames.push({ flags: body.readUInt8(at), data: body.subarray(at + 5, at + 5 + length) });
    at += 5 + length;
  }
  return frames;
}
