// Handles a request for an HttpRoute.
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BodyBudget } from '../../api/body-budget.ts';
import type { HttpRoute } from '../../api/routes/route.ts';
import { fail } from '../../base/errors/errors.ts';
import { compressText } from '../http/compression.ts';
import { formType, hasBody, readTextBody, requireContentType } from '../http/request-body.ts';
import { clientCertificateOf } from '../http/request-facts.ts';
import type { GatewayOptions, RoutedRequest } from './options.ts';
import { sendBytes, sendChunks } from './send-chunks.ts';

export async function handleRoute(
  route: HttpRoute,
  routed: RoutedRequest,
  request: FastifyRequest,
  reply: FastifyReply,
  options: Pick<GatewayOptions, 'observe' | 'publicUrl' | 'bodies' | 'releaseChunk' | 'unread'>,
): Promise<FastifyReply> {
  const { requestId, peer, started, domain, variables } = routed;
  const { observe, publicUrl, bodies, unread } = options;
  if (route.method === 'POST') requireSameOrigin(request, domain?.origin ?? publicUrl);
  const form =
    route.method === 'POST' ? await readForm(routed, request, reply, bodies.anonymous) : '';
  const result = await route.handle({
    isHead: request.method === 'HEAD',
    url: request.url,
    peer,
    requestId,
    domain,
    reserveBody: (workspaceId) => unread.accountOf(reply.raw).reserve(workspaceId),
    variables: Object.fromEntries(
      variables.map(([name, text]) => [name, text.replaceAll('\0', notNul)]),
    ),
    query: queryOf(request.url),
    form: new URLSearchParams(form),
    header: (name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? value : value?.[0];
    },
    clientCertificate: () => clientCertificateOf(request.raw.socket),
    signal: () => closeSignal(reply.raw),
  });
  observe({
    name: route.name,
    route: route.path,
    request: request.raw,
    requestId,
    peer,
    status: result.status,
    failure: result.failure,
    durationMs: performance.now() - started,
  });
  const { status, body } = result;
  const head = { status, headers: { ...result.headers } };
  if (body instanceof Uint8Array) return sendBytes(reply, head, body, options);
  if (typeof body === 'object') return sendChunks(reply, head, body, options);
  reply.status(status).headers(head.headers);
  if (body === undefined) return reply.send();
  const compressed = await compressText(body, request.headers['accept-encoding']);
  return reply.headers(compressed.headers).send(compressed.body);
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

async function readForm(
  routed: RoutedRequest,
  request: FastifyRequest,
  reply: FastifyReply,
  bodies: BodyBudget,
): Promise<string> {
  if (!hasBody(request.raw)) return '';
  requireContentType(request, formType);
  const text = await readTextBody(request.raw, reply.raw, bodies);
  routed.isBodyRead = true;
  return text;
}

/**
 * Throws if a browser sends the request for another site. Current browsers send `Sec-Fetch-Site`
 * (Fetch Metadata). Older browsers send the origin, or `null` for HTML without a referrer, such as
 * that of this service.
 */
function requireSameOrigin({ headers }: FastifyRequest, ownOrigin: string): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  const isOwn =
    site === undefined
      ? origin === undefined || origin === 'null' || origin === ownOrigin
      : site === 'same-origin' || site === 'none';
  if (!isOwn) throw fail('forbidden', 'The request comes from another origin.');
}
