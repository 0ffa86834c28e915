// Handles a request for an HttpRoute.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyBudget } from '../../api/body-budget.ts';
import type { HttpRoute } from '../../api/routes/route.ts';
import { fail } from '../../base/errors/errors.ts';
import { compressText } from '../http/compression.ts';
import { formType, hasBody, readTextBody, requireContentType } from '../http/request-body.ts';
import { clientCertificateOf } from '../http/request-facts.ts';
import { sendBytes, sendChunks, sendWhole } from '../http/send.ts';
import type { GatewayOptions, HttpExchange } from './exchange.ts';

export async function handleRoute(
  route: HttpRoute,
  exchange: HttpExchange,
  options: Pick<GatewayOptions, 'observe' | 'publicUrl' | 'bodies' | 'releaseChunk' | 'unread'>,
): Promise<void> {
  const { request, response, requestId, peer, started, domain, variables } = exchange;
  const { url = '' } = request;
  const { observe, publicUrl, bodies, unread } = options;
  if (route.method === 'POST') requireSameOrigin(request, domain?.origin ?? publicUrl);
  const form = route.method === 'POST' ? await readForm(exchange, bodies.anonymous) : '';
  const result = await route.handle({
    isHead: request.method === 'HEAD',
    url,
    peer,
    requestId,
    domain,
    reserveBody: (workspaceId) => unread.accountOf(response).reserve(workspaceId),
    variables: Object.fromEntries(
      variables.map(([name, text]) => [name, text.replaceAll('\0', notNul)]),
    ),
    query: queryOf(url),
    form: new URLSearchParams(form),
    header: (name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? value : value?.[0];
    },
    clientCertificate: () => clientCertificateOf(request.socket),
    signal: () => closeSignal(response),
  });
  observe({
    name: route.name,
    route: route.path,
    request,
    requestId,
    peer,
    status: result.status,
    failure: result.failure,
    durationMs: performance.now() - started,
  });
  const { body } = result;
  if (body instanceof Uint8Array) return sendBytes(exchange, result, body, options);
  if (typeof body === 'object') return sendChunks(exchange, result, body, options);
  if (body === undefined) return sendWhole(exchange, result);
  const compressed = await compressText(body, request.headers['accept-encoding']);
  const headers = { ...result.headers, ...compressed.headers };
  sendWhole(exchange, { ...result, headers }, compressed.body);
}

/** No stored text has a NUL, and PostgreSQL refuses to compare with one. */
const notNul = '\ufffd';

function queryOf(url: string): URLSearchParams {
  const query = /\?(.*)$/s.exec(url)?.[1] ?? '';
  return new URLSearchParams(query.replaceAll('%00', encodeURIComponent(notNul)));
}

function closeSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  else response.once('close', () => controller.abort());
  return controller.signal;
}

async function readForm(exchange: HttpExchange, bodies: BodyBudget): Promise<string> {
  const { request, response } = exchange;
  if (!hasBody(request)) return '';
  requireContentType(request, formType);
  const text = await readTextBody(request, response, bodies);
  exchange.isBodyRead = true;
  return text;
}

/**
 * Throws if a browser sends the request for another site. Current browsers send `Sec-Fetch-Site`
 * (Fetch Metadata). Older browsers send the origin, or `null` for HTML without a referrer, such as
 * that of this service.
 */
function requireSameOrigin({ headers }: IncomingMessage, ownOrigin: string): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  const isOwn =
    site === undefined
      ? origin === undefined || origin === 'null' || origin === ownOrigin
      : site === 'same-origin' || site === 'none';
  if (!isOwn) throw fail('forbidden', 'The request comes from another origin.');
}
