// The form of a request over Connect or gRPC-Web: its protocol, its encoding, its compression and
// its deadline, all of which the headers name.
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
import { type Failure, fail } from '../../errors/errors.ts';

/** The headers in which a protocol names compressions and the deadline. */
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

export type Form = {
  /** The content type by which the answer is encoded, too. */
  readonly type: string;
  /** Whether messages are JSON; else they are binary. */
  readonly isJson: boolean;
  /** Whether each message is in a frame with its length. */
  readonly isFramed: boolean;
  readonly names: HeaderNames;
  /** The query of a Connect GET, which holds its message. */
  readonly query?: URLSearchParams;
};

/** Throws `method_not_allowed` or `unsupported_media_type`. */
export function formOf(endpoint: Endpoint, request: IncomingMessage): Form {
  const { method, headers, url = '' } = request;
  const acceptsGet = endpoint.kind === 'unary' && !endpoint.sideEffects;
  if (method === 'GET' && acceptsGet) return formOfQuery(url);
  if (method !== 'POST') {
    const allow = acceptsGet ? 'GET, POST' : 'POST';
    throw fail('method_not_allowed', `The path accepts ${allow}.`, { headers: { allow } });
  }
  const type = headers['content-type'] ?? '';
  const web = parseGrpcWebType(type);
  // grpc-web-text, the form in base64, is for browsers that cannot read a binary stream.
  if (web !== undefined && !web.text) {
    return { type, isJson: !web.binary, isFramed: true, names: grpcWeb };
  }
  const connect = parseConnectType(type);
  const isFramed = endpoint.kind !== 'unary';
  if (connect === undefined || connect.stream !== isFramed) throw unsupportedType(isFramed);
  const names = isFramed ? connectStream : connectUnary;
  return { type, isJson: !connect.binary, isFramed, names };
}

function formOfQuery(url: string): Form {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const encoding = query.get('encoding');
  if (encoding !== 'json' && encoding !== 'proto') {
    const detail = 'The query parameter encoding has to be json or proto.';
    throw fail('unsupported_media_type', detail);
  }
  const type = `application/${encoding}`;
  return { type, isJson: encoding === 'json', isFramed: false, names: connectUnary, query };
}

function unsupportedType(isFramed: boolean): Failure {
  const types = ['application/grpc-web+proto', 'application/grpc-web+json'];
  const prefix = isFramed ? 'connect+' : '';
  const accepted = [`application/${prefix}proto`, `application/${prefix}json`, ...types].join(', ');
  const detail = `The content type has to be one of ${accepted}.`;
  return fail('unsupported_media_type', detail, { headers: { 'accept-post': accepted } });
}

export const compressions: readonly Compression[] = [compressionGzip, compressionBrotli];

/** The compression of the request's messages. Throws where it is not supported. */
export function compressionOf(form: Form, headers: IncomingHttpHeaders): Compression | undefined {
  const { encoding, acceptEncoding } = form.names;
  const name = (form.query ? form.query.get('compression') : headers[encoding]) ?? 'identity';
  if (name === '' || name === 'identity') return undefined;
  const found = compressions.find((compression) => compression.name === name);
  if (found !== undefined) return found;
  const accepted = compressions.map((compression) => compression.name).join(',');
  throw fail('unsupported_media_type', `The request has to be compressed by one of ${accepted}.`, {
    // As the Connect and gRPC specifications demand.
    grpc: Code.Unimplemented,
    headers: { [acceptEncoding]: accepted },
  });
}

/** A call lasts no longer than this, whatever its deadline: as long as a request may. */
const timeoutMsMax = 30 * 60_000;

/** The milliseconds until the deadline; undefined for none. Throws for a malformed header. */
export function timeoutOf({ names }: Form, headers: IncomingHttpHeaders): number | undefined {
  const header = headers[names.timeout];
  if (header === undefined) return undefined;
  const parse = names === grpcWeb ? parseGrpcTimeout : parseConnectTimeout;
  const { timeoutMs, error } = parse(String(header), Number.MAX_SAFE_INTEGER);
  if (timeoutMs === undefined || error !== undefined) {
    throw fail('invalid_argument', `The header ${names.timeout} is not a valid timeout.`);
  }
  return Math.min(Math.ceil(timeoutMs), timeoutMsMax);
}

/** A timeout as the header of its protocol has it. */
export function timeoutHeader({ names }: Form, timeoutMs: number): string {
  return names === grpcWeb ? `${timeoutMs}m` : String(timeoutMs);
}
