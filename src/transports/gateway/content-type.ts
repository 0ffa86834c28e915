// The content types of requests.
import type { IncomingMessage } from 'node:http';
import { fail } from '../../base/errors/errors.ts';

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

/** A form is UTF-8 (RFC 6749 Appendix B), even if its content type has no charset. */
export function requireUtf8({ headers }: Request): void {
  const [, charset = 'utf-8'] =
    /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '') ?? [];
  if (charset.toLowerCase() !== 'utf-8')
    throw fail('unsupported_media_type', 'The charset of a form must be UTF-8.');
}
