// Handles a request for a method: decodes the request message and sends the response message.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DescMethod, JsonObject, Message } from '@bufbuild/protobuf';
import { type BodyBudgets, budgetOf } from '../../api/body-budget.ts';
import { type Call, type ContextSource, LazyContext } from '../../api/call.ts';
import { reserveDownload } from '../../api/response-budget.ts';
import { etagMatches, requireMatch } from '../../base/http/byte-range.ts';
import { createDownloadHead, type DownloadMessage, startBody } from '../../base/http/download.ts';
import { compressText } from '../http/compression.ts';
import { canceledCall } from '../http/late-calls.ts';
import {
  formType,
  hasBody,
  hasContentType,
  jsonType,
  readTextBody,
  requireContentType,
  requireUtf8,
} from '../http/request-body.ts';
import { clientCertificateOf } from '../http/request-facts.ts';
import { sendChunks, sendWhole } from '../http/send.ts';
import type { Binding } from './binding.ts';
import type { GatewayOptions, HttpExchange } from './exchange.ts';
import { readForm } from './multipart.ts';
import { authenticatesClient, isBasicAuthorization } from './oauth-form.ts';
import { encodeResponse, transcodeRequest } from './transcode.ts';

type MethodOptions = Pick<GatewayOptions, 'bodies' | 'deadlines' | 'releaseChunk' | 'unread'>;

export async function handleMethod(
  binding: Binding,
  exchange: HttpExchange,
  options: MethodOptions,
): Promise<void> {
  const { endpoint } = binding;
  const call = new HttpCall(endpoint.descriptor, exchange);
  const read = () => readRequest(binding, exchange, call, options.bodies);
  switch (endpoint.kind) {
    case 'unary':
      return sendMessage(binding, await endpoint.invoke(call, read), call, exchange);
    case 'client_streaming': {
      const messages = readForm(endpoint, exchange, options.deadlines);
      return sendMessage(binding, await endpoint.invoke(call, messages), call, exchange);
    }
    case 'server_streaming':
      return sendDownload(endpoint.invoke(call, read), call, exchange, options);
  }
}

function readRequest(
  binding: Binding,
  exchange: HttpExchange,
  call: HttpCall,
  bodies: BodyBudgets,
): Message | Promise<Message> {
  const { endpoint } = binding;
  const { oauthForm, download } = endpoint.http;
  const { request, response, variables } = exchange;
  const { url = '', method, headers } = request;
  const at = url.indexOf('?');
  const isForm = oauthForm && hasContentType(request, formType);
  const { authorization } = headers;
  const usesBasic = isBasicAuthorization(authorization) && authenticatesClient(endpoint);
  const transcode = (body: string | undefined) =>
    transcodeRequest(binding, {
      variables,
      query: at === -1 ? '' : url.slice(at + 1),
      isForm,
      basic: usesBasic ? authorization : undefined,
      call,
      headerFields: download ? headerFields(request, endpoint.descriptor) : {},
      body,
    });
  if (method === 'GET' || method === 'HEAD' || !hasBody(request)) return transcode(undefined);
  if (!isForm) requireContentType(request, jsonType);
  requireUtf8(request);
  const transcodeBody = (body: string) => {
    exchange.isBodyRead = true;
    return transcode(body);
  };
  const body = readTextBody(request, response, budgetOf(endpoint, bodies));
  return typeof body === 'string' ? transcodeBody(body) : body.then(transcodeBody);
}

/** The headers that set fields of a download request, if it has these fields. */
function headerFields({ headers, method }: IncomingMessage, { input }: DescMethod): JsonObject {
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch, 'if-match': ifMatch } = headers;
  const fields = {
    // Ranges are defined only for GET (RFC 9110 §14.2).
    ...(range === undefined || method === 'HEAD' ? {} : { range }),
    ...(ifMatch === undefined ? {} : { if_match: ifMatch }),
    ...(typeof ifRange === 'string' ? { if_range: ifRange } : {}),
    ...(ifNoneMatch === undefined ? {} : { if_none_match: ifNoneMatch }),
  };
  const known = new Set(input.fields.map(({ name }) => name));
  return Object.fromEntries(Object.entries(fields).filter(([name]) => known.has(name)));
}

function sendMessage(
  binding: Binding,
  message: Message,
  call: HttpCall,
  { response }: HttpExchange,
): Promise<void> | undefined {
  const { http, hasSecretResponse } = binding.endpoint;
  const json = encodeResponse(binding, message);
  const text = JSON.stringify(json);
  const status = http.successStatus === 0 ? 200 : http.successStatus;
  const head: Head = ['x-request-id', call.requestId, ...binding.responseHeaders];
  addHandlerHeaders(head, call.context);
  if (http.location !== '') head.push('location', fill(http.location, json));
  if (!hasSecretResponse) {
    return sendCompressed(binding, { status, head, text }, call, response);
  }
  sendList(response, status, head, text);
  return undefined;
}

async function sendCompressed(
  { endpoint: { http } }: Binding,
  { status, head, text }: { status: number; head: Head; text: string },
  call: HttpCall,
  response: ServerResponse,
): Promise<void> {
  const { body, coding } = await compressText(text, call.header('accept-encoding'));
  head.push('vary', 'accept-encoding');
  if (http.publicMaxAgeSeconds > 0) {
    const digest = createHash('sha256').update(text).digest('base64url');
    // Each coding is a representation with its own tag (RFC 9110 §8.8.3.3).
    const etag = coding === undefined ? `"${digest}"` : `"${digest}-${coding}"`;
    requireMatch(call.header('if-match'), etag);
    head.push('etag', etag);
    if (etagMatches(call.header('if-none-match') ?? '', etag)) return sendList(response, 304, head);
  }
  if (coding !== undefined) head.push('content-encoding', coding);
  sendList(response, status, head, body);
}

/** Names and values in turn. */
type Head = (string | string[])[];

/** Node writes a list of headers faster than an object. */
function sendList(
  response: ServerResponse,
  status: number,
  head: Head,
  body?: string | Buffer,
): void {
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  if (body !== undefined) head.push('content-length', String(length));
  // Node writes Latin-1 faster. It is the same as UTF-8 for ASCII.
  response.writeHead(status, head).end(body, length === body?.length ? 'latin1' : 'utf8');
}

function addHandlerHeaders(head: Head, { touchedResponseHeader }: LazyContext): void {
  if (touchedResponseHeader === undefined) return;
  const cookies = touchedResponseHeader.getSetCookie();
  for (const [name, value] of touchedResponseHeader) {
    if (name !== 'set-cookie') head.push(name, value);
  }
  if (cookies.length > 0) head.push('set-cookie', cookies);
}

async function sendDownload(
  messages: AsyncIterable<Message>,
  { context }: HttpCall,
  exchange: HttpExchange,
  options: MethodOptions,
): Promise<void> {
  const parts = messages[Symbol.asyncIterator]();
  const first = await parts.next();
  const { part } = first.value as Message & DownloadMessage;
  if (part.case !== 'header') throw new Error('a download does not begin with its header');
  const location = context.touchedResponseHeader?.get('location') ?? '';
  if (location !== '') {
    await parts.return?.();
    const headers = { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
    return sendWhole(exchange, { status: 307, headers });
  }
  const head = createDownloadHead(part.value, 'attachment');
  if (context.requestMethod === 'HEAD' || part.value.notModified) {
    await parts.return?.();
    return sendWhole(exchange, head);
  }
  try {
    reserveDownload(context, options.unread.accountOf(exchange.response));
  } catch (error) {
    await parts.return?.();
    throw error;
  }
  return sendChunks(exchange, head, await startBody(chunks(parts)), options);
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

class HttpCall implements Call, ContextSource {
  readonly transport = 'http';
  readonly protocolName = 'http';
  readonly method: DescMethod;
  readonly requestId: string;
  readonly peer: string;
  readonly requestMethod: string;
  readonly url: string;
  readonly context: LazyContext;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(method: DescMethod, { request, response, requestId, peer }: HttpExchange) {
    this.method = method;
    this.requestId = requestId;
    this.peer = peer;
    this.requestMethod = request.method ?? '';
    this.url = request.url ?? '';
    this.#request = request;
    this.#response = response;
    this.context = new LazyContext(this);
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return typeof value === 'string' ? value : value?.[0];
  }

  clientCertificate() {
    return clientCertificateOf(this.#request.socket);
  }

  headers(): Headers {
    return headersOf(this.#request);
  }

  isGone(): boolean {
    return this.#request.socket.destroyed;
  }

  onGone(abort: (reason: unknown) => void): void {
    const gone = () => abort(canceledCall());
    if (this.isGone()) gone();
    // The response closes with the request, but the connection may stay open.
    else this.#response.once('close', () => this.#response.writableFinished || gone());
  }
}

function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // HTTP/2 has the method and the path here, which are not headers.
    if (name.startsWith(':')) continue;
    for (const item of Array.isArray(value) ? value : [value ?? '']) headers.append(name, item);
  }
  return headers;
}
