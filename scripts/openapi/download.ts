// The parameters and responses of downloads (RFC 9110 §13 and §14).
import type { DescMessage } from '@bufbuild/protobuf';
import type { RouteHeader } from '../../src/api/routes/route-doc.ts';
import type { Schema } from './schema.ts';

/** The request headers that set fields of a download's request. */
const fieldsOfHeaders: Readonly<Record<RouteHeader, string>> = {
  Range: 'range',
  'If-Range': 'if_range',
  'If-None-Match': 'if_none_match',
  'If-Match': 'if_match',
};

export function downloadHeaders(input: DescMessage): RouteHeader[] {
  const names = new Set(input.fields.map(({ name }) => name));
  return headerNames.filter((header) => names.has(fieldsOfHeaders[header]));
}

const headerNames: readonly RouteHeader[] = ['Range', 'If-Range', 'If-None-Match', 'If-Match'];

export const headerParameters: Readonly<Record<string, Schema>> = {
  Range: parameter('Range', 'The requested bytes (RFC 9110 §14.2).', 'bytes=0-1023'),
  'If-Range': parameter(
    'If-Range',
    'An `ETag`. If it is not the one of the file, the service ignores `Range` (RFC 9110 §13.1.5).',
    '"b5bb9d8014a0f9b1d61e21e796d78dcc"',
  ),
  'If-None-Match': parameter(
    'If-None-Match',
    'The `ETag` of a copy. If it is current, the response is 304 (RFC 9110 §13.1.2).',
    '"b5bb9d8014a0f9b1d61e21e796d78dcc"',
  ),
  'If-Match': parameter(
    'If-Match',
    'The expected `ETag` of the file, or the `etag` of the resource. If it has another one, the ' +
      'response is 412 and nothing changes (RFC 9110 §13.1.1). `*` accepts each.',
    '"b5bb9d8014a0f9b1d61e21e796d78dcc"',
  ),
  DPoP: {
    name: 'DPoP',
    in: 'header',
    description: 'A proof of the key to which the token is bound (RFC 9449 §4).',
    schema: { type: 'string', maxLength: 8192 },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A random text for this request. If the caller repeats the request within 24 hours with ' +
      'the same key, the service returns the recorded answer and changes nothing. At most 128 ' +
      'printable ASCII characters.',
    schema: { type: 'string', minLength: 1 },
    example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'The id of the request in logs and errors: up to 128 of the characters `A-Za-z0-9._-`. ' +
      'Without a valid id, the service creates one.',
    schema: { type: 'string' },
    example: '7d0f5a1e-3c52-4a6e-9d57-2f1f8b1c6a40',
  },
};

function parameter(name: string, description: string, example: string): Schema {
  return { name, in: 'header', description, schema: { type: 'string' }, example };
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });
const binary = { schema: { type: 'string', format: 'binary' } };

/** `type` is the content type if it is always the same. */
export function downloadResponses(input: DescMessage, type: string | undefined): Schema {
  const names = downloadHeaders(input);
  const content = { [type ?? '*/*']: type === undefined ? binary : { schema: { type: 'string' } } };
  const common = {
    'X-Request-Id': header('RequestId'),
    'Cache-Control': header('CacheControl'),
    'Content-Disposition': header('ContentDisposition'),
  };
  const tagged = { ...common, ETag: header('ETag'), 'Accept-Ranges': header('AcceptRanges') };
  const headers = names.length === 0 ? common : tagged;
  return {
    200: { description: 'The whole file.', headers, content },
    ...(names.includes('Range')
      ? {
          206: {
            description: 'The requested range.',
            headers: { ...tagged, 'Content-Range': header('ContentRange') },
            content,
          },
        }
      : {}),
    ...(names.includes('If-None-Match')
      ? { 304: { $ref: '#/components/responses/NotModified' } }
      : {}),
    ...(names.includes('Range')
      ? {
          307: {
            description:
              'The address of the bytes in the S3 store, valid for some seconds. Only services ' +
              'with `LATCHKEY_BLOB_REDIRECT_SECONDS` respond with it.',
            headers: {
              'X-Request-Id': header('RequestId'),
              'Cache-Control': header('CacheControl'),
              Location: header('Location'),
            },
          },
        }
      : {}),
  };
}
