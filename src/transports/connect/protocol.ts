// Reads the protocol, encoding, compression and deadline of a Connect or gRPC-Web request from its
// headers.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Code } from '@connectrpc/connect';
import type { Compression } from '@connectrpc/connect/protocol';
import {
  parseTimeout as parseConnectTimeout,
  parseContentType as parseConnectType,
} from '@connectrpc/connect/protocol-connect';
import {
  parseTimeout as parseGrpcTimeout,
  parseContentType as parseGrpcWebType,
} from '@connectrpc/connect/protocol-grpc-web';
import { compressionBrotli, compressionGzip } from '@connectrpc/connect-node';
import type { Endpoint } from '../../api/endpoint.ts';
import { type Failure, fail } from '../../base/errors/errors.ts';
import { timeoutMsMax } from '../http/late-calls.ts';

type HeaderNames = {
  readonly encoding: string;
  readonly acceptEncoding: string;
  readonly timeout: string;
};

const connectUnary: HeaderNames = {
  encoding: 'content-encoding',
  acceptEncoding: 'accept-encoding',
  timeout: 'connect-timeout-ms',
};

const connectStream: HeaderNames = {
  encoding: 'connect-content-encoding',
  acceptEncoding: 'connect-accept-encoding',
  timeout: 'connect-timeout-ms',
};

const grpcWeb: HeaderNames = {
  encoding: 'grpc-encoding',
  acceptEncoding: 'grpc-accept-encoding',
  timeout: 'grpc-timeout',
};

export type WireFormat = {
  /** The content type of the request and the response, before their encoding in base64. */
  readonly type: string;
  /** Whether the bodies are in base64 (application/grpc-web-text). */
  readonly isText?: boolean;
  readonly isJson: boolean;
  readonly isFramed: boolean;
  readonly names: HeaderNames;
  /** The query of a Connect GET, which contains its message. */
  readonly query?: URLSearchParams;
};

/** Throws `method_not_allowed` or `unsupported_media_type`. */
export function readWireFormat(endpoint: Endpoint, request: IncomingMessage): WireFormat {
  const { method, headers, url = '' } = request;
  const acceptsGet = endpoint.kind === 'unary' && !endpoint.sideEffects;
  if ((method === 'GET' || method === 'HEAD') && acceptsGet) return formOfQuery(url);
  if (method !== 'POST') {
    const allow = acceptsGet ? 'GET, HEAD, POST' : 'POST';
    throw fail('method_not_allowed', `The path accepts ${allow}.`, { headers: { allow } });
  }
  const type = withoutCharset(headers['content-type'] ?? '');
  const web = parseGrpcWebType(type);
  if (web !== undefined) {
    const { text: isText, binary } = web;
    const plain = isText ? type.replace('grpc-web-text', 'grpc-web') : type;
    return { type: plain, isText, isJson: !binary, isFramed: true, names: grpcWeb };
  }
  const connect = parseConnectType(type);
  const isFramed = endpoint.kind !== 'unary';
  if (connect === undefined || connect.stream !== isFramed) throw unsupportedType(isFramed);
  const names = isFramed ? connectStream : connectUnary;
  return { type, isJson: !connect.binary, isFramed, names };
}

/** The library does not accept every form of the only charset of JSON (RFC 9110 §8.3.2). */
function withoutCharset(type: string): string {
  const [, json = type] = /^([^;]*json)\s*;\s*charset=("?)utf-8\2\s*$/i.exec(type) ?? [];
  return json;
}

function formOfQuery(url: string): WireFormat {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const encoding = query.get('encoding');
  if (encoding !== 'json' && encoding !== 'proto') {
    const detail = 'The query parameter `encoding` must be json or proto.';
    throw fail('unsupported_media_type', detail);
  }
  const type = `application/${encoding}`;
  return { type, isJson: encoding === 'json', isFramed: false, names: connectUnary, query };
}

function unsupportedType(isFramed: boolean): Failure {
  const types = ['grpc-web+proto', 'grpc-web+json', 'grpc-web-text+proto'].map(
    (type) => `application/${type}`,
  );
  const prefix = isFramed ? 'connect+' : '';
  const accepted = [`application/${prefix}proto`, `application/${prefix}json`, ...types].join(', ');
  const detail = `The content type must be one of ${accepted}.`;
  return fail('unsupported_media_type', detail, { headers: { 'accept-post': accepted } });
}

export const compressions: readonly Compression[] = [compressionGzip, compressionBrotli];

/** The compression of the request's messages. Throws if it is not supported. */
export function compressionOf(
  form: WireFormat,
  headers: IncomingHttpHeaders,
): Compression | undefined {
  const { encoding, acceptEncoding } = form.names;
  const given = form.query ? form.query.get('compression') : headers[encoding];
  const name = String(given ?? 'identity').toLowerCase();
  if (name === '' || name === 'identity') return undefined;
  const found = compressions.find((compression) => compression.name === name);
  if (found !== undefined) return found;
  const accepted = compressions.map((compression) => compression.name).join(',');
  throw fail('unsupported_media_type', `The compression must be one of ${accepted}.`, {
    // Required by the Connect and gRPC specifications.
    grpc: Code.Unimplemented,
    headers: { [acceptEncoding]: accepted },
  });
}

/** Milliseconds until the deadline; undefined without one. Throws for a malformed header. */
export function timeoutOf({ names }: WireFormat, headers: IncomingHttpHeaders): number | undefined {
  const header = headers[names.timeout];
  if (header === undefined) return undefined;
  const parse = names === grpcWeb ? parseGrpcTimeout : parseConnectTimeout;
  const { timeoutMs, error } = parse(String(header), Number.MAX_SAFE_INTEGER);
  if (timeoutMs === undefined || error !== undefined) {
    throw fail('invalid_argument', `The header ${names.timeout} is not a valid timeout.`);
  }
  return Math.min(Math.ceil(timeoutMs), timeoutMsMax);
}

export function timeoutHeader({ names }: WireFormat, timeoutMs: number): string {
  return names === grpcWeb ? `${timeoutMs}m` : String(timeoutMs);
}
