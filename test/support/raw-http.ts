// Raw HTTP/1.1, for requests that client libraries do not send.
import { once } from 'node:events';
import { connect } from 'node:net';

export interface RawResponse {
  status: number;
  headers: Headers;
  body: Buffer;
  /** False if the connection closed before the whole body arrived. */
  complete: boolean;
}

export interface RawHttp {
  /** Resolves once the bytes are sent; false if the peer no longer accepts any. */
  write(bytes: Uint8Array | string): Promise<boolean>;
  /** Half-closes the connection: the answer can still be read. */
  end(): void;
  /** Resets the connection, as a crashing client does. */
  reset(): void;
  /**
   * Reads the next answer, without interim ones (1xx); undefined if the peer closed before one.
   * Read one answer at a time. The answer to a HEAD has no body.
   */
  response(to?: 'HEAD'): Promise<RawResponse | undefined>;
}

/**
 * Opens a connection that never throws: data that the peer sent before it closed stays readable.
 * The caller ends or resets it.
 */
export async function openRawHttp(port: number, host = '127.0.0.1'): Promise<RawHttp> {
  const socket = connect({ port, host, allowHalfOpen: true });
  await once(socket, 'connect');
  let received: Buffer = Buffer.alloc(0);
  let closed = false;
  let changed = () => {};
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
    changed();
  });
  const close = () => {
    closed = true;
    changed();
  };
  // 'close' follows an error. 'end' comes without 'close' while our side is open.
  socket
    .on('error', () => {})
    .on('end', close)
    .on('close', close);

  return {
    write: (bytes) =>
      new Promise((resolve) => {
        socket.write(bytes, (error) => resolve(!error));
      }),
    end: () => socket.end(),
    reset: () => socket.resetAndDestroy(),
    async response(to) {
      for (;;) {
        const parsed = parseResponse(received, closed, to);
        if (parsed !== undefined) {
          received = parsed.rest;
          return parsed.response;
        }
        if (closed) return undefined;
        await new Promise<void>((resolve) => {
          changed = resolve;
        });
      }
    },
  };
}

/** Request line and headers, up to the empty line. The caller supplies Host and Content-Length. */
export function requestHead(method: string, path: string, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

export interface MultipartPart {
  /** A part without a name has no Content-Disposition, unless `headers` contains one. */
  name?: string;
  filename?: string;
  contentType?: string;
  headers?: Record<string, string>;
  body: Uint8Array | string;
}

/** A `multipart/form-data` body (RFC 7578). */
export function multipartBody(parts: MultipartPart[], boundary: string): Buffer {
  const chunks = parts.flatMap(({ name, filename, contentType, headers, body }) => [
    Buffer.from(`--${boundary}\r\n`),
    name === undefined ? '' : disposition(name, filename),
    contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`,
    ...Object.entries(headers ?? {}).map(([field, value]) => `${field}: ${value}\r\n`),
    '\r\n',
    body,
    '\r\n',
  ]);
  return Buffer.concat([...chunks, `--${boundary}--\r\n`].map((chunk) => Buffer.from(chunk)));
}

function disposition(name: string, filename: string | undefined): string {
  const file = filename === undefined ? '' : `; filename="${escaped(filename)}"`;
  return `Content-Disposition: form-data; name="${escaped(name)}"${file}\r\n`;
}

/** Escapes names as browsers do (WHATWG HTML, "multipart/form-data encoding algorithm"). */
function escaped(value: string): string {
  return value.replace(/["\r\n]/g, (character) => encodeURIComponent(character));
}

interface Parsed {
  response: RawResponse;
  rest: Buffer;
}

function parseResponse(bytes: Buffer, closed: boolean, to?: 'HEAD'): Parsed | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...fields] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})\b/.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`Invalid status line: ${statusLine}`);
  const after = bytes.subarray(headEnd + 4);
  if (status < 200) return parseResponse(after, closed, to);

  const headers = new Headers();
  for (const field of fields) {
    const colon = field.indexOf(':');
    headers.append(field.slice(0, colon), field.slice(colon + 1).trim());
  }
  const { body, length } =
    to === 'HEAD' ? { body: Buffer.alloc(0), length: 0 } : readBody(after, status, headers, closed);
  if (length === undefined && !closed) return undefined;
  return {
    response: { status, headers, body, complete: length !== undefined },
    rest: after.subarray(length ?? after.length),
  };
}

interface Body {
  body: Buffer;
  /** The size of the whole body on the wire, in bytes; undefined until it is complete. */
  length: number | undefined;
}

function readBody(bytes: Buffer, status: number, headers: Headers, closed: boolean): Body {
  if (status === 204 || status === 304) return { body: Buffer.alloc(0), length: 0 };
  if (headers.get('transfer-encoding')?.toLowerCase() === 'chunked') return readChunks(bytes);
  const contentLength = headers.get('content-length');
  if (contentLength === null) return { body: bytes, length: closed ? bytes.length : undefined };
  const length = Number(contentLength);
  const whole = bytes.length >= length;
  return { body: bytes.subarray(0, length), length: whole ? length : undefined };
}

/** Chunked transfer coding (RFC 9112 §7.1) without trailers. */
function readChunks(bytes: Buffer): Body {
  const chunks: Buffer[] = [];
  let at = 0;
  let ended = false;
  while (!ended) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) break;
    const sizeLine = bytes.toString('latin1', at, lineEnd);
    const size = Number.parseInt(sizeLine, 16);
    if (Number.isNaN(size)) throw new Error(`Invalid chunk size: ${sizeLine}`);
    const start = lineEnd + 2;
    chunks.push(bytes.subarray(start, start + size));
    at = start + size + 2;
    if (at > bytes.length) break;
    ended = size === 0;
  }
  return { body: Buffer.concat(chunks), length: ended ? at : undefined };
}
