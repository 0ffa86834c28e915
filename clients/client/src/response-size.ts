// Bounds the responses of `fetch`, which has no limit. Connect over Node and gRPC have their own.
import { tooLarge } from './errors.ts';
import { messageBytesMax } from './options.ts';

/**
 * Returns the response. Reading its body throws a LatchkeyError as soon as a message is too large,
 * after decompression. A response other than a stream is one message.
 */
export function boundResponse(response: Response): Response {
  const { body, headers } = response;
  // The `fetch` of a caller may have other bodies.
  if (!(body instanceof ReadableStream)) return response;
  const isStream = /^application\/connect\+/.test(headers.get('content-type') ?? '');
  const count = isStream ? countMessages() : countBytes();
  const bounded = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      count(chunk);
      controller.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(bounded), response);
}

type Count = (chunk: Uint8Array) => void;

function requireSize(bytes: number): void {
  if (bytes > messageBytesMax) throw tooLarge();
}

function countBytes(): Count {
  let bytes = 0;
  return ({ length }) => {
    bytes += length;
    requireSize(bytes);
  };
}

/** One byte of flags, and four of the length. */
const headBytes = 5;

/** Each message of a stream has a head (https://connectrpc.com/docs/protocol). */
function countMessages(): Count {
  let headLeft = headBytes;
  let left = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (headLeft > 0) {
        // The flags are shifted out.
        left = ((left << 8) | (chunk[at] ?? 0)) >>> 0;
        at += 1;
        headLeft -= 1;
        if (headLeft === 0) requireSize(left);
      } else {
        const skipped = Math.min(left, chunk.length - at);
        at += skipped;
        left -= skipped;
      }
      if (headLeft === 0 && left === 0) headLeft = headBytes;
    }
  };
}
