// Checks the content type of a request, and reads the text of its body within the limits that all
// transports share.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BodyBudget, unaryBodyBytesMax } from '../../api/body-budget.ts';
import { fail } from '../../base/errors/errors.ts';
import { sendContinue } from '../http/request-body.ts';

const tooLarge = () => fail('payload_too_large', 'The body is too large.');
const cutShort = () => fail('canceled', 'The body ended early.');

/**
 * Throws `payload_too_large`, `unavailable` if the process holds too many bodies,
 * `invalid_argument` for text that is not UTF-8, and `canceled` if the body does not arrive.
 */
export function readTextBody(
  request: IncomingMessage,
  response: ServerResponse,
  bodies: BodyBudget,
): string | Promise<string> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw fail('unsupported_media_type', 'The body must not be compressed.');
  }
  const length = Number(request.headers['content-length']);
  if (length > unaryBodyBytesMax) throw tooLarge();
  sendContinue(request, response);
  const arrived = arrivedBytes(request, length);
  return arrived === null ? receiveBytes(request, length, bodies).then(textOf) : textOf(arrived);
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw fail('invalid_argument', 'The body must be UTF-8.');
  return bytes.toString();
}

/** The body, if it has arrived in full. Most bodies arrive together with their headers. */
function arrivedBytes(request: IncomingMessage, length: number): Buffer | null {
  if (request.readableLength !== length) return null;
  const bytes: Buffer | null = request.read();
  // Lets Node note the end of the body later.
  request.resume();
  return bytes;
}

function receiveBytes(
  request: IncomingMessage,
  length: number,
  bodies: BodyBudget,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (request.destroyed) return reject(cutShort());
    const account = bodies.open();
    const chunks: Buffer[] = [];
    let received = 0;
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      received += chunk.length;
      try {
        if (received > unaryBodyBytesMax) throw tooLarge();
        // A body that arrives in one piece does not count.
        if (received !== length) account.add(chunk.length);
      } catch (error) {
        stop();
        reject(error);
      }
    };
    const onEnd = () => {
      stop();
      resolve(Buffer.concat(chunks));
    };
    const onClose = () => {
      stop();
      reject(cutShort());
    };
    function stop(): void {
      account.release();
      request.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose);
    }
    request.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose);
  });
}

type Request = Pick<IncomingMessage, 'headers'>;

export const jsonType = 'application/json';
export const formType = 'application/x-www-form-urlencoded';
export const multipartType = 'multipart/form-data';

export function hasContentType({ headers }: Request, type: string): boolean {
  const header = headers['content-type'];
  return header === type || header?.split(';', 1)[0]?.trim().toLowerCase() === type;
}

/** Throws `unsupported_media_type` for any other type. */
export function requireContentType(request: Request, type: string): void {
  if (!hasContentType(request, type)) {
    throw fail('unsupported_media_type', `The content type must be ${type}.`);
  }
}

/** Forms (RFC 6749 Appendix B) and JSON (RFC 8259 §8.1) are UTF-8, also without a charset. */
export function requireUtf8({ headers }: Request): void {
  const type = headers['content-type'] ?? '';
  if (!type.includes(';')) return;
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(type) ?? [];
  if (charset.toLowerCase() !== 'utf-8')
    throw fail('unsupported_media_type', 'The charset of the body must be UTF-8.');
}
