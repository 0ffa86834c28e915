// The JSON gateway: serves every annotated method and every route, and sends all errors.
import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from '../../api/endpoint.ts';
import type { HttpRoute } from '../../api/routes/route.ts';
import { bearerChallenge } from '../../base/errors/challenge.ts';
import { Failure, fail } from '../../base/errors/errors.ts';
import { acceptsHtml } from '../../base/http/negotiation.ts';
import { type Problem, problemOf } from '../http/problem.ts';
import { isBodyArriving, respondEarly } from '../http/request-body.ts';
import { pathOf, readRequestId } from '../http/request-facts.ts';
import { hasWindow } from '../http/unread.ts';
import { bindingsOf } from './binding.ts';
import { handleMethod } from './method-handler.ts';
import { authenticatesClient, basicChallenge } from './oauth-form.ts';
import type { GatewayOptions, RoutedRequest, RouteTarget } from './options.ts';
import { handleRoute } from './route-handler.ts';
import { createRouter, type Route, type Router } from './router.ts';
import { parseTemplate, rootTemplate } from './template.ts';

/** Throws an error with the methods' names if a rule is not supported or two rules collide. */
export function registerGateway(app: FastifyInstance, options: GatewayOptions): void {
  const ownRouter = createRouter(routesOf(options));
  const onDomains = options.routes.filter(({ isOnDomains }) => isOnDomains === true);
  const domainRouter = createRouter(routesOf({ endpoints: [], routes: onDomains }));

  app.decorateRequest('routed', undefined);
  app.setErrorHandler<FastifyError>((error, request, reply) =>
    sendError(error, request, reply, options),
  );
  // Only asset requests arrive here; assets have a separate route.
  app.setNotFoundHandler(() => {
    throw notFound();
  });

  function routeWithSlash(
    router: Router<RouteTarget>,
    method: string,
    path: string,
  ): HttpRoute | undefined {
    const match = path.endsWith('/') ? router.match(method, path.slice(0, -1)) : undefined;
    const target = match?.kind === 'found' ? match.value : undefined;
    return target?.kind === 'route' && target.route.matchesTrailingSlash ? target.route : undefined;
  }

  // Fastify routes every HTTP method here, so that a 405 can list the accepted methods. Fastify
  // reads no bodies: handlers read them after the guard has accepted the credential.
  for (const method of METHODS) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  app.route({
    method: METHODS,
    url: '*',
    handler(request, reply) {
      const requestId = readRequestId(request.raw);
      reply.header('x-request-id', requestId);
      const { method = '', url = '' } = request.raw;
      const path = pathOf(url);
      const domain = options.findDomain(request.raw.headers.host);
      const router = domain === undefined ? ownRouter : domainRouter;
      const match = router.match(method, path);
      const found = match.kind === 'found' ? match : undefined;
      const routed: RoutedRequest = {
        requestId,
        peer: options.peerOf(request.raw),
        started: performance.now(),
        domain,
        target: found?.value,
        variables: found?.variables ?? [],
        isBodyRead: false,
      };
      request.routed = routed;
      switch (match.kind) {
        case 'found':
          return match.value.kind === 'method'
            ? handleMethod(match.value.binding, routed, request, reply, options)
            : handleRoute(match.value.route, routed, request, reply, options);
        case 'not_found': {
          const route = routeWithSlash(router, method, path);
          if (route === undefined) throw notFound();
          const location = path.slice(0, -1) + url.slice(path.length);
          const handle = async () => ({ status: 308, headers: { location }, body: undefined });
          return handleRoute({ ...route, handle }, routed, request, reply, options);
        }
        case 'malformed':
          throw fail('invalid_argument', 'The path is malformed.');
        case 'method_not_allowed': {
          const allow = match.allow.join(', ');
          throw fail('method_not_allowed', `The path accepts ${allow}.`, { headers: { allow } });
        }
      }
    },
  });
}

function routesOf({
  endpoints,
  routes,
}: Pick<GatewayOptions, 'endpoints' | 'routes'>): Route<RouteTarget>[] {
  const methods = endpoints.flatMap(bindingsOf).map((binding) => ({
    method: binding.method,
    template: binding.template,
    value: { kind: 'method', binding } as const,
    name: binding.endpoint.name,
  }));
  const others = routes.map((route) => ({
    method: route.method,
    template: route.path === '/' ? rootTemplate : parseTemplate(route.path),
    value: { kind: 'route', route } as const,
    name: route.name,
  }));
  return [...methods, ...others];
}

const notFound = () => fail('not_found', 'Nothing exists at this path.');

export function sendError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
  { publicUrl, observe, peerOf, failureOf, notFoundHtml }: GatewayOptions,
): void {
  const { routed } = request;
  const failure = fromFastify(error) ?? failureOf(error);
  const requestId = routed?.requestId ?? readRequestId(request);
  const target = routed?.target;
  const isMethod = target?.kind === 'method';
  const endedAt = performance.now();
  // The guard has already reported its own errors.
  if (!(isMethod && error instanceof Failure)) {
    observe({
      name: target?.kind === 'route' ? target.route.name : 'unrouted',
      ...(target?.kind === 'route' ? { route: target.route.path } : {}),
      request: request.raw,
      requestId,
      peer: routed?.peer ?? peerOf(request.raw),
      status: failure.status,
      failure,
      durationMs: endedAt - (routed?.started ?? endedAt),
    });
  }
  const endpoint = isMethod ? target.binding.endpoint : undefined;
  const oauthErrors = endpoint?.http.oauthErrors ?? false;
  // Each 401 has a challenge, even if the credential was in the body (RFC 9110 §15.5.2).
  const isOfClient = endpoint !== undefined && authenticatesClient(endpoint);
  const challenge = isOfClient ? basicChallenge : bearerChallenge();
  const problem = problemOf(failure, { publicUrl: publicUrl, requestId, oauthErrors, challenge });
  if (isBodyArriving(request.raw) && routed?.isBodyRead !== true) {
    reply.hijack();
    // A stalled sender does not end its body, so the connection is closed.
    if (failure.code === 'canceled') problem.headers.connection = 'close';
    respondEarly(request.raw, reply.raw, withId(problem, requestId));
    return;
  }
  if (!hasWindow(request.raw)) {
    reply.hijack();
    sendHead(reply.raw, withId(problem, requestId));
    return;
  }
  const isUnrouted = routed !== undefined && target === undefined;
  const isBrowser = isUnrouted && problem.status === 404 && wantsHtml(request);
  const notFoundPage = notFoundHtml?.[routed?.domain === undefined ? 'own' : 'domain'];
  const { headers, body } = isBrowser && notFoundPage !== undefined ? notFoundPage : problem;
  // serializer: the body is text already, whatever its content type.
  reply
    .status(problem.status)
    .headers(headers)
    .header('x-request-id', requestId)
    .serializer((text) => String(text))
    .send(body);
}

function wantsHtml({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && acceptsHtml(headers.accept);
}

/** The paths whose errors have the members of RFC 6749 §5.2, too. */
export function oauthPathsOf(endpoints: readonly Endpoint[]): ReadonlySet<string> {
  const bindings = endpoints.filter(({ http }) => http.oauthErrors).flatMap(bindingsOf);
  return new Set(bindings.map(({ template }) => template.source));
}

/** Refuses a request before routing. `status` replaces the status of the catalogue. */
export function refuseRequest(
  failure: Failure,
  request: IncomingMessage,
  response: ServerResponse,
  { publicUrl, observe, peerOf }: GatewayOptions,
  status = failure.status,
  oauthErrors = false,
): void {
  const requestId = readRequestId(request);
  const peer = peerOf(request);
  observe({ name: 'unrouted', request, requestId, peer, status, failure, durationMs: 0 });
  if (response.headersSent) {
    request.socket.destroy();
    return;
  }
  const context = { publicUrl: publicUrl, requestId, oauthErrors, status };
  const problem = problemOf(failure, context);
  const sent = withId(problem, requestId);
  if (isBodyArriving(request)) respondEarly(request, response, sent);
  else if (hasWindow(request)) response.writeHead(sent.status, sent.headers).end(sent.body);
  else sendHead(response, sent);
}

/** Sends an error without its body, which would stay in memory: only bodies need a window. */
function sendHead(response: ServerResponse, { status, headers }: Problem): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end();
}

function withId({ status, headers, body }: Problem, requestId: string): Problem {
  return { status, headers: { ...headers, 'x-request-id': requestId }, body };
}

const fastifyCodes: Record<string, () => Failure> = {
  FST_ERR_BAD_URL: () => fail('invalid_argument', 'The path is malformed.'),
};

function fromFastify(error: FastifyError | Error): Failure | undefined {
  if (error instanceof Failure || !('code' in error)) return undefined;
  return fastifyCodes[error.code]?.();
}
