// Raw HTTP/2 frames (RFC 9113) that client libraries do not send.

export const types = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const flags = { endStream: 1, ack: 1, endHeaders: 4, padded: 8 } as const;

export const http2Preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export function frame(
  type: number,
  flag: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flag;
  head.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([head, payload]);
}

/** The head of a gRPC call: literal fields without indexing (RFC 7541 §6.2.2). */
export function headerBlock(path: string, more: Record<string, string> = {}): Buffer {
  const headers = {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': '127.0.0.1',
    'content-type': 'application/grpc',
    te: 'trailers',
    ...more,
  };
  const fields = Object.entries(headers).map(([name, value]) => [0, ...text(name), ...text(value)]);
  return Buffer.from(fields.flat());
}

export function headersFrame(stream: number, path: string, more: Record<string, string> = {}) {
  return frame(types.headers, flags.endHeaders, stream, headerBlock(path, more));
}

/** Strings without Huffman coding (RFC 7541 §5.2). */
function text(value: string): number[] {
  const bytes = [...Buffer.from(value)];
  if (bytes.length < 127) return [bytes.length, ...bytes];
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest >>= 7) length.push((rest & 127) | 128);
  return [...length, rest, ...bytes];
}
