// Handles a request for a method: decodes the request message and sends the response message.
import { createHash } from 'node:crypto';
import type { JsonObject, Message } from '@bufbuild/protobuf';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type BodyBudgets, budgetOf } from '../../api/body-budget.ts';
import { type Call, LazyContext } from '../../api/call.ts';
import type { Endpoint } from '../../api/endpoint.ts';
import { fail } from '../../errors/errors.ts';
import { etagMatches } from '../../http/byte-range.ts';
import {
  createDownloadBody,
  createDownloadHead,
  type DownloadMessage,
} from '../../http/download.ts';
import { compressText } from '../http/compression.ts';
import type { Deadlines } from '../http/deadlines.ts';
import { hasBody, sendContinue } from '../http/request-body.ts';
import type { Binding } from './binding.ts';
import { readTextBody } from './body.ts';
import {
  formType,
  hasContentType,
  jsonType,
  multipartType,
  requireContentType,
  requireUtf8,
} from './content-type.ts';
import type { GatewayOptions } from './gateway.ts';
import { readMultipartMessages } from './multipart.ts';
import { isBasicAuthorization } from './oauth-form.ts';
import type { RoutedRequest } from './routed-request.ts';
import { encodeResponse, transcodeRequest } from './transcode.ts';

type MethodOptions = Pick<GatewayOptions, 'bodies' | 'deadlines'>;

export async function handleMethod(
  binding: Binding,
  routed: RoutedRequest,
  request: FastifyRequest,
  reply: FastifyReply,
  options: MethodOptions,
): Promise<FastifyReply> {
  const { endpoint } = binding;
  const call = callOf(endpoint, routed, request, reply);
  const read = () => readRequest(binding, routed, request, reply, options.bodies);
  switch (endpoint.kind) {
    case 'unary': {
      const message = await endpoint.invoke(call, read);
      setHeaders(reply, call.context);
      return sendMessage(binding, message, request, reply);
    }
    case 'client_streaming': {
      const messages = readForm(endpoint, request, reply, options.deadlines);
      return sendMessage(binding, await endpoint.invoke(call, messages), request, reply);
    }
    case 'server_streaming':
      return sendDownload(endpoint.invoke(call, read), request, reply);
  }
}

type HttpCall = Call & { readonly context: LazyContext };

function callOf(
  endpoint: Endpoint,
  { requestId, peer }: RoutedRequest,
  request: FastifyRequest,
  { raw: response }: FastifyReply,
): HttpCall {
  const header = (name: string) => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : value?.[0];
  };
  const context = new LazyContext({
    method: endpoint.descriptor,
    protocolName: 'http',
    requestMethod: request.method,
    url: request.url,
    headers: () => headersOf(request),
    onGone: (abort) => {
      const gone = () => abort(fail('canceled', 'The caller closed the connection.'));
      if (isGone()) gone();
      // The response closes with the request, but the connection may stay open.
      else response.once('close', () => response.writableFinished || gone());
    },
  });
  const isGone = () => request.raw.socket.destroyed;
  return { transport: 'http', requestId, peer, header, context, isGone };
}

/** Copies the headers that the handler has set. */
function setHeaders(reply: FastifyReply, { touchedResponseHeader }: LazyContext): void {
  // Headers lists each Set-Cookie separately, and Fastify collects them.
  for (const [name, value] of touchedResponseHeader ?? []) reply.header(name, value);
}

function headersOf(request: FastifyRequest): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const item of Array.isArray(value) ? value : [value ?? '']) headers.append(name, item);
  }
  return headers;
}

/** Reads the request message. Waits for the body if the request has one. */
async function readRequest(
  binding: Binding,
  { variables }: RoutedRequest,
  request: FastifyRequest,
  reply: FastifyReply,
  bodies: BodyBudgets,
): Promise<Message> {
  const { endpoint } = binding;
  const { oauthForm, download } = endpoint.http;
  const url = request.raw.url ?? '';
  const at = url.indexOf('?');
  const isForm = oauthForm && hasContentType(request, formType);
  const { authorization } = request.headers;
  const head = {
    variables,
    query: at === -1 ? '' : url.slice(at + 1),
    isForm,
    basic: oauthForm && isBasicAuthorization(authorization) ? authorization : undefined,
    headerFields: download ? headerFields(request) : {},
  };
  if (isForm) requireUtf8(request);
  if (request.method === 'GET' || request.method === 'HEAD' || !hasBody(request)) {
    return transcodeRequest(binding, { ...head, body: undefined });
  }
  if (!isForm) requireContentType(request, jsonType);
  const body = await readTextBody(request.raw, reply.raw, budgetOf(endpoint, bodies));
  return transcodeRequest(binding, { ...head, body });
}

/** The headers that set fields of a download request. */
function headerFields({ headers, method }: FastifyRequest): JsonObject {
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch, 'if-match': ifMatch } = headers;
  return {
    // Ranges are defined only for GET (RFC 9110 §14.2).
    ...(range === undefined || method === 'HEAD' ? {} : { range }),
    ...(ifMatch === undefined ? {} : { if_match: ifMatch }),
    ...(typeof ifRange === 'string' ? { if_range: ifRange } : {}),
    ...(ifNoneMatch === undefined ? {} : { if_none_match: ifNoneMatch }),
  };
}

/** Reads the form on demand, so that the guard accepts the caller before the body is read. */
async function* readForm(
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
  deadlines: Deadlines,
): AsyncGenerator<Message> {
  requireContentType(request, multipartType);
  deadlines.extend(request.raw, reply.raw);
  sendContinue(request.raw, reply.raw);
  yield* readMultipartMessages(endpoint, request.headers, request.raw);
}

async function sendMessage(
  binding: Binding,
  message: Message,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { http } = binding.endpoint;
  const json = encodeResponse(binding, message);
  if (http.successStatus !== 0) reply.status(http.successStatus);
  if (http.location !== '') reply.header('location', fill(http.location, json));
  const text = JSON.stringify(json);
  reply
    .header('content-type', http.contentType === '' ? jsonType : http.contentType)
    .header('x-content-type-options', 'nosniff')
    .serializer((body) => body);
  if (http.oauthErrors) reply.header('pragma', 'no-cache');
  const isPublic = http.publicMaxAgeSeconds > 0;
  if (!isPublic) reply.header('cache-control', 'no-store');
  if (binding.endpoint.hasSecretResponse) return reply.send(text);
  const { body, headers, coding } = await compressText(text, request.headers['accept-encoding']);
  reply.headers(headers);
  if (!isPublic) return reply.send(body);

  const digest = createHash('sha256').update(text).digest('base64url');
  // Each coding is a representation with its own tag (RFC 9110 §8.8.3.3).
  const etag = coding === undefined ? `"${digest}"` : `"${digest}-${coding}"`;
  reply
    .header('cache-control', `public, max-age=${http.publicMaxAgeSeconds}, must-revalidate`)
    .header('access-control-allow-origin', '*')
    .header('etag', etag);
  const tags = request.headers['if-none-match'] ?? '';
  if (!etagMatches(tags, etag)) return reply.send(body);
  return reply.removeHeader('content-encoding').status(304).send();
}

async function sendDownload(
  messages: AsyncIterable<Message>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const parts = messages[Symbol.asyncIterator]();
  const first = await parts.next();
  const { part } = first.value as Message & DownloadMessage;
  if (part.case !== 'header') throw new Error('a download does not begin with its header');
  const { status, headers } = createDownloadHead(part.value, 'attachment');
  if (request.method === 'HEAD' || part.value.notModified) {
    await parts.return?.();
    return reply.status(status).headers(headers).send();
  }
  const body = await createDownloadBody(chunks(parts));
  return reply.status(status).headers(headers).send(body);
}

async function* chunks(parts: AsyncIterator<Message>): AsyncGenerator<Uint8Array> {
  try {
    for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
      const { part } = next.value as Message & DownloadMessage;
      if (part.case === 'chunk') yield part.value;
    }
  } finally {
    await parts.return?.();
  }
}

/** `/documents/{id}` with the fields of the body. */
function fill(template: string, json: unknown): string {
  return template.replace(/\{([\w.]+)\}/g, (_match, path: string) =>
    encodeURIComponent(String(path.split('.').reduce(member, json))),
  );
}

function member(json: unknown, name: string): unknown {
  return new Map(Object.entries(json ?? {})).get(name);
}
