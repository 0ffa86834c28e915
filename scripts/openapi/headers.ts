// The response headers that operations refer to.
import type { Schema } from './schema.ts';

const header = (description: string, example: string): Schema => ({
  description,
  schema: { type: 'string' },
  example,
});

export const headers: Readonly<Record<string, Schema>> = {
  RequestId: {
    ...header('The id of the request in logs and errors.', '7d0f5a1e-3c52-4a6e-9d57-2f1f8b1c6a40'),
    required: true,
  },
  CacheControl: { ...header('Whether caches may keep the response.', 'no-store'), required: true },
  Location: header('The address of the resource.', '/api/v1/links/lnk_3mKq7VbT9xZp2LcR8sWd4n'),
  ETag: { ...header('The entity tag of the content.', '"b5bb9d8014a0f9b1d61e"'), required: true },
  SetCookie: header('The cookie of the session.', 'latchkey_session=…; HttpOnly'),
  Challenge: header(
    'The accepted authentication and the missing scope (RFC 6750 §3, RFC 9470 §3).',
    'Bearer error="insufficient_scope", scope="links:write"',
  ),
  RetryAfter: {
    description: 'The seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  Nonce: header('The nonce for the next DPoP proof (RFC 9449 §8).', 'eyJleHBpcmVUaW1lIjox….Xm4…'),
  Replayed: {
    description: 'Whether the response is the recorded answer of an earlier call.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  ContentRange: header('The bytes in the response, and the size.', 'bytes 0-1023/482113'),
  ContentDisposition: header('The name of the file.', 'attachment; filename="report.pdf"'),
  AcceptRanges: header('The accepted unit of ranges.', 'bytes'),
};
