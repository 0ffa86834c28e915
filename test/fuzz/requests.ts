// Generates HTTP/1.1 requests from the descriptors: every route with odd paths, queries, headers
// and bodies, over HTTP/JSON, Connect and gRPC-Web.
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { http as httpRule } from '../../gen/google/api/annotations_pb.js';
import type { SeededRandom } from '../support/seeded-random.ts';
import { type Ids, jsonBody, methods, mutate, oddText, wireMessage } from './values.ts';

export type FuzzRequest = {
  readonly bytes: Buffer;
  readonly isHead: boolean;
  /** Mutated: it may end early, and the server may close the connection without an answer. */
  readonly isBroken?: boolean;
};

export type Context = {
  readonly random: SeededRandom;
  readonly ids: Ids;
  readonly credential: string | undefined;
  /** The workspace's API key. */
  readonly apiKey: string;
};

const pages = [
  '/s/{slug}',
  '/s/{slug}/file',
  '/s/{slug}/download',
  '/s/{slug}/view',
  '/console',
  '/console/sign-in',
  '/errors',
  '/assets/none.js',
  '/',
  '/favicon.ico',
  '*',
  '/healthz',
];
const verbs = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
const textTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=latin1',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'text/plain',
  '',
  'application/json, text/plain',
];
const rpcTypes = [
  'application/json',
  'application/proto',
  'application/connect+json',
  'application/connect+proto',
  'application/grpc-web',
  'application/grpc-web+proto',
  'application/grpc-web+json',
  'application/grpc-web-text',
  'application/grpc',
];

type Header = readonly [name: string, value: string];

const oddHeaders: readonly ((random: SeededRandom) => Header)[] = [
  (random) => ['X-Request-Id', oddText(random)],
  (random) => ['Range', random.pick(['bytes=0-0', 'bytes=-1', 'bytes=9-1', 'bytes=0-,1-2', 'a'])],
  (random) => ['If-None-Match', random.pick(['*', '"a"', 'W/"a', 'a'.repeat(4000)])],
  (random) => ['If-Match', random.pick(['*', '"a"', ''])],
  (random) => ['If-Range', random.pick(['"a"', 'Sun, 06 Nov 1994 08:49:37 GMT'])],
  (random) => ['Cookie', `session=${oddText(random)}; __Host-session=a; =; a`],
  (random) => ['Accept-Encoding', random.pick(['gzip', 'br;q=0', '*;q=-1', 'gzip, , br'])],
  (random) => ['Accept', random.pick(['*/*', 'text/html', 'a/b;q=2', ''])],
  (random) => ['X-Forwarded-For', random.pick(['1.2.3.4', 'a, b', ',', '::1'])],
  (random) => ['Origin', random.pick(['null', 'https://evil.example', '%'])],
  (random) => ['Sec-Fetch-Site', random.pick(['cross-site', 'same-origin', 'x'])],
  (random) => ['Content-Encoding', random.pick(['gzip', 'br', 'identity', 'zstd', 'gzip, gzip'])],
  (random) => ['Connect-Content-Encoding', random.pick(['gzip', 'br', 'x'])],
  (random) => ['Grpc-Encoding', random.pick(['gzip', 'identity', 'x'])],
  (random) => ['Connect-Timeout-Ms', random.pick(['0', '1', '-1', 'a', '99999999999'])],
  (random) => ['Grpc-Timeout', random.pick(['0m', '1n', '99999999H', 'a'])],
  (random) => ['Connect-Protocol-Version', random.pick(['1', '2', ''])],
  (random) => [
    'Authorization',
    random.pick(['Basic', 'Basic !!', 'Basic YTpi', 'Bearer', 'Bearer  a']),
  ],
  () => ['Expect', '100-continue'],
  (random) => ['Upgrade', random.pick(['websocket', 'h2c'])],
  (random) => ['Host', random.pick(['', 'a', 'a:b', '[::1', 'evil.example'])],
  () => ['A'.repeat(200), 'b'.repeat(2000)],
];

function routeOf(method: DescMethod): { verb: string; template: string } {
  const { case: verb = 'post', value } = getOption(method, httpRule).pattern;
  return { verb: verb.toUpperCase(), template: typeof value === 'string' ? value : '/' };
}

function fill(template: string, { random, ids }: Context): string {
  const path = template.replace(/\{(\w+)[^}]*\}/g, (_match, name: string) => {
    const id = ids[name.replace(/_id$/, '')];
    if (id !== undefined && random.chance(0.6)) return id;
    const text = oddText(random);
    return random.chance(0.8) ? encodeText(text) : text.replace(/[^!-~]/g, '_');
  });
  return random.chance(0.05) ? mutatePath(path, random) : path;
}

/** `encodeURIComponent` throws for an unpaired surrogate. */
export const encodeText = (text: string) => encodeURIComponent(Buffer.from(text).toString('utf8'));

function mutatePath(path: string, random: SeededRandom): string {
  const at = random.below(path.length + 1);
  const odd = random.pick([
    '/',
    '//',
    '%2f',
    '%',
    '%zz',
    '.',
    '..',
    ':',
    '?',
    '#',
    ';',
    '\\',
    '%c0',
  ]);
  return path.slice(0, at) + odd + path.slice(at);
}

function query(method: DescMethod, { random, ids }: Context): string {
  if (random.chance(0.6)) return '';
  const parts = method.input.fields
    .filter(() => random.chance(0.4))
    .map(({ name }) => {
      const value = ids[name.replace(/_id$/, '')] ?? oddText(random);
      return `${name}${random.pick(['', '', '', '.a', '[]'])}=${encodeText(value)}`;
    });
  if (random.chance(0.2)) parts.push(random.pick(['a', '=', '&&', '%', 'a=%zz', '__proto__=1']));
  return `?${parts.join('&')}`;
}

/** A request to an HTTP/JSON method or an HTML route. */
export function routeRequest(context: Context): FuzzRequest {
  const { random, ids } = context;
  const method = random.pick(methods);
  const route = routeOf(method);
  const isPage = random.chance(0.15);
  const path = isPage
    ? fill(random.pick(pages), context)
    : fill(route.template, context) + query(method, context);
  const verb = random.chance(0.85) ? (isPage ? 'GET' : route.verb) : random.pick(verbs);
  const hasBody = random.chance(['GET', 'HEAD', 'DELETE'].includes(verb) ? 0.05 : 0.95);
  let body: Buffer | undefined = hasBody
    ? Buffer.from(jsonBody(method.input, random, ids))
    : undefined;
  let type = random.chance(0.8) ? 'application/json' : random.pick(textTypes);
  if (body !== undefined && random.chance(0.1)) {
    type = 'application/x-www-form-urlencoded';
    const pairs = method.input.fields.map(({ name }) => `${name}=${encodeText(oddText(random))}`);
    body = Buffer.from(['grant_type=client_credentials', ...pairs].join('&'));
  }
  if (body !== undefined && random.chance(0.1)) body = mutate(body, random);
  return assemble(verb, path, type, body, context);
}

/** Connect has separate content types for unary methods and streams. */
function rpcType({ methodKind }: DescMethod, random: SeededRandom): string {
  const types = rpcTypes.filter(
    (type) => type.includes('grpc') || type.includes('connect') === (methodKind !== 'unary'),
  );
  return random.pick(random.chance(0.95) ? types : rpcTypes);
}

/** A request over Connect or gRPC-Web. */
export function rpcRequest(context: Context): FuzzRequest {
  const { random, ids } = context;
  const method = random.pick(methods);
  const type = random.chance(0.97) ? rpcType(method, random) : random.pick(textTypes);
  let path = `/${method.parent.typeName}/${method.name}`;
  if (random.chance(0.05)) path = mutatePath(path, random);
  const isJson = type.includes('json');
  const message: Buffer = isJson
    ? Buffer.from(jsonBody(method.input, random, ids))
    : wireMessage(method.input, random, ids);
  if (random.chance(0.05)) {
    const encoded = encodeURIComponent(message.toString('base64url'));
    const encoding = random.pick(['json', 'proto', 'x']);
    path += `?connect=v1&base64=1&encoding=${encoding}&message=${encoded}`;
    return assemble('GET', path, '', undefined, context);
  }
  const isEnveloped = /connect\+|grpc/.test(type);
  let body: Buffer = isEnveloped ? envelope(message, random) : message;
  if (type.endsWith('text')) body = Buffer.from(body.toString('base64'));
  const more: Header[] = [];
  if (random.chance(0.1)) {
    const coding = random.pick(['gzip', 'br', 'deflate']);
    if (random.chance(0.6))
      body = Buffer.from(coding === 'br' ? brotliCompressSync(body) : gzipSync(body));
    more.push([isEnveloped ? 'Connect-Content-Encoding' : 'Content-Encoding', coding]);
  }
  if (random.chance(0.08)) body = mutate(body, random);
  const verb = random.chance(0.96) ? 'POST' : random.pick(verbs);
  return assemble(verb, path, type, body, context, more);
}

/** Flags, length, message: the framing of gRPC and of Connect's streams. */
export function envelope(message: Buffer, random: SeededRandom): Buffer {
  const isCompressed = random.chance(0.1);
  const bytes = isCompressed && random.chance(0.6) ? gzipSync(message) : message;
  const head = Buffer.alloc(5);
  head[0] = isCompressed ? 1 : random.chance(0.9) ? 0 : random.below(256);
  const lengths = [0, bytes.length + 1, 2 ** 31, 2 ** 32 - 1, 5_000_000];
  head.writeUInt32BE(random.chance(0.85) ? bytes.length : random.pick(lengths), 1);
  const one = Buffer.concat([head, bytes]);
  return random.chance(0.9) ? one : Buffer.concat([one, one]);
}

function assemble(
  verb: string,
  path: string,
  type: string,
  body: Buffer | undefined,
  { random, credential }: Context,
  more: readonly Header[] = [],
): FuzzRequest {
  const headers: Header[] = [['Host', 'latchkey.test'], ...more];
  if (credential !== undefined) headers.push(['Authorization', `Bearer ${credential}`]);
  if (type !== '' && body !== undefined) headers.push(['Content-Type', type]);
  for (let i = 0; i < 2; i++) {
    if (random.chance(0.15)) headers.push(random.pick(oddHeaders)(random));
  }
  const isChunked = body !== undefined && random.chance(0.15);
  if (isChunked) headers.push(['Transfer-Encoding', 'chunked']);
  else if (body !== undefined) headers.push(['Content-Length', String(body.length)]);
  const lines = headers.map(([name, value]) => `${name}: ${headerText(value)}\r\n`).join('');
  const target = path.replace(/[ \r\n]/g, '+');
  const head = Buffer.from(`${verb} ${target} HTTP/1.1\r\n${lines}\r\n`, 'latin1');
  const content = isChunked ? chunked(body, random) : (body ?? Buffer.alloc(0));
  const bytes = Buffer.concat([head, content]);
  const isHead = verb === 'HEAD';
  if (random.chance(0.97)) return { bytes, isHead };
  return { bytes: mutate(bytes, random), isHead, isBroken: true };
}

/** Removes line breaks, which would start another header. */
const headerText = (value: string) => value.replace(/[\r\n\0]/g, ' ');

function chunked(body: Buffer, random: SeededRandom): Buffer {
  const size = 1 + random.below(body.length + 1);
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const part = body.subarray(at, at + size);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
