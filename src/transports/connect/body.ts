// Reads the body of a request with limits for bytes and time. Its bytes count in the budget of the
// process. The body is read only after the guard has accepted the credential.
import { Code, ConnectError } from '@connectrpc/connect';
import type { Compression } from '@connectrpc/connect/protocol';
import {
  type BodyAccount,
  type BodyBudget,
  unaryBodyBytesMax,
  uncountedBytes,
} from '../../api/body-budget.ts';
import { fail } from '../../base/errors/errors.ts';
import { undeclaredCompression } from '../../base/errors/undeclared-compression.ts';
import { incompleteMessage, lateRequest } from '../http/late-calls.ts';
import { type ArrivingBody, readChunks } from '../http/request-body.ts';
import { decodeBase64 } from './base64-text.ts';

/** Limit for one message of an upload: a chunk of at most 1 MiB, a third longer in JSON. */
const pieceBytesMax = 2 * 1024 * 1024;

export type ConnectBody = ArrivingBody & {
  readonly bodies: BodyBudget;
  readonly compression: Compression | undefined;
  readonly isText: boolean;
  readonly signal: AbortSignal;
};

/** Reads a body that is one message, and passes it to `decode`. Throws `payload_too_large`. */
export async function readUnframed<T>(
  body: ConnectBody,
  decode: (bytes: Uint8Array) => T,
): Promise<T> {
  const announced = Number(body.request.headers['content-length'] ?? unaryBodyBytesMax);
  const gathered = new Gathered(body.bodies, unaryBodyBytesMax);
  if (announced > unaryBodyBytesMax) throw tooLarge(unaryBodyBytesMax);
  return inTime(body, async (signal) => {
    try {
      for await (const chunk of readChunks({ ...body, signal })) gathered.append(chunk, announced);
      return decode(await gathered.inflate(gathered.bytes, body.compression));
    } finally {
      gathered.clear();
    }
  });
}

/** Decodes a message that did not arrive in the body. Only its decompressed bytes count. */
export async function inflateMessage<T>(
  bytes: Uint8Array,
  { bodies, compression }: ConnectBody,
  decode: (bytes: Uint8Array) => T,
): Promise<T> {
  const gathered = new Gathered(bodies, unaryBodyBytesMax);
  try {
    return decode(await gathered.inflate(bytes, compression));
  } finally {
    gathered.clear();
  }
}

export async function readFrame<T>(
  body: ConnectBody,
  decode: (bytes: Uint8Array) => T,
): Promise<T> {
  return inTime(body, async (signal) => {
    const messages = framesOf({ ...body, signal }, unaryBodyBytesMax);
    let only: { readonly message: T } | undefined;
    for await (const bytes of messages) {
      if (only !== undefined) throw wrongNumber('more than one message');
      only = { message: decode(bytes) };
    }
    if (only === undefined) throw wrongNumber('no message');
    return only.message;
  });
}

/** The messages of an upload, which has no time limit while it keeps sending. */
export async function* readFrames<T>(
  body: ConnectBody,
  decode: (bytes: Uint8Array) => T,
): AsyncGenerator<T> {
  for await (const bytes of framesOf(body, pieceBytesMax)) yield decode(bytes);
}

const wrongNumber = (count: string) =>
  // Required by the Connect and gRPC specifications.
  fail('invalid_argument', `The request contains ${count}.`, { grpc: Code.Unimplemented });

/** Aborts the work at the time limit for a whole body. */
async function inTime<T>(
  { bodies, signal }: ConnectBody,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const either = new AbortController();
  const forward = () => either.abort(signal.reason);
  const { timeoutMs } = bodies;
  const timer = setTimeout(() => either.abort(lateRequest(timeoutMs)), timeoutMs);
  if (signal.aborted) forward();
  else signal.addEventListener('abort', forward);
  try {
    return await work(either.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', forward);
  }
}

/** The prefix of each message: one byte of flags and four bytes of length. */
const headBytes = 5;

/** Yields the messages in the frames. Each one counts until the next one is requested. */
async function* framesOf(body: ConnectBody, bytesMax: number): AsyncGenerator<Uint8Array> {
  const gathered = new Gathered(body.bodies, bytesMax, headBytes);
  try {
    for await (const chunk of body.isText ? decodeBase64(readChunks(body)) : readChunks(body)) {
      for (let at = 0; at < chunk.length; ) {
        const isHead = gathered.bytes.length < headBytes;
        const whole = headBytes + (isHead ? 0 : gathered.bytes.readUInt32BE(1));
        const part = chunk.subarray(at, at + whole - gathered.bytes.length);
        gathered.append(part, whole);
        at += part.length;
        if (gathered.bytes.length < headBytes) continue;
        const length = gathered.bytes.readUInt32BE(1);
        if (length > bytesMax) throw tooLarge(bytesMax);
        if (gathered.bytes.length < headBytes + length) continue;
        const flags = gathered.bytes.readUInt8(0);
        const data = gathered.bytes.subarray(headBytes);
        if (flags > 1) throw fail('invalid_argument', 'The flags of a message are invalid.');
        yield flags === 0 ? data : await gathered.inflate(data, requireNamed(body.compression));
        gathered.clear();
      }
    }
    if (gathered.bytes.length > 0) throw incompleteMessage();
  } finally {
    gathered.clear();
  }
}

function requireNamed(compression: Compression | undefined): Compression {
  if (compression !== undefined) return compression;
  throw undeclaredCompression();
}

class Gathered {
  readonly #bytesMax: number;
  readonly #headBytes: number;
  readonly #account: BodyAccount;
  #buffer = Buffer.alloc(0);
  #length = 0;

  constructor(bodies: BodyBudget, bytesMax: number, headBytes = 0) {
    this.#account = bodies.open();
    this.#bytesMax = bytesMax;
    this.#headBytes = headBytes;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** `bytesLikely` limits how far the buffer grows ahead of the received bytes. */
  append(chunk: Buffer, bytesLikely: number): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytesMax + this.#headBytes) throw tooLarge(this.#bytesMax);
    if (length > this.#buffer.length) this.#grow(length, bytesLikely);
    chunk.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  /** Starts the next message. A decoded message may still refer to the old buffer. */
  clear(): void {
    this.#account.release();
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
  }

  /** Decompresses a message. A few bytes may inflate to the limit. */
  async inflate(bytes: Uint8Array, compression: Compression | undefined): Promise<Uint8Array> {
    if (compression !== undefined) this.#account.add(this.#bytesMax);
    return decompress(bytes, compression, this.#bytesMax);
  }

  #grow(length: number, bytesLikely: number): void {
    const old = this.#buffer.length;
    const size = Math.max(length, Math.min(Math.max(2 * old, uncountedBytes), bytesLikely));
    this.#account.add(size - old);
    const buffer = Buffer.allocUnsafeSlow(size);
    this.bytes.copy(buffer);
    this.#buffer = buffer;
  }
}

/** Throws `payload_too_large` if the result has more than `bytesMax`. */
async function decompress(
  bytes: Uint8Array,
  compression: Compression | undefined,
  bytesMax: number,
): Promise<Uint8Array> {
  if (compression === undefined) return bytes;
  try {
    return await compression.decompress(bytes, bytesMax);
  } catch (cause) {
    if (ConnectError.from(cause).code === Code.ResourceExhausted) throw tooLarge(bytesMax);
    throw fail('invalid_argument', 'The request cannot be decompressed.', { cause });
  }
}

const tooLarge = (bytesMax: number) =>
  fail('payload_too_large', `A message is larger than ${bytesMax} bytes.`);
