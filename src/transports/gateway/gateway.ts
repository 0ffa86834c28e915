// The JSON gateway: serves all annotated methods, the routes and the assets, and sends all errors.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from '../../api/endpoint.ts';
import type { HttpRoute } from '../../api/routes/route.ts';
import { bearerChallenge } from '../../base/errors/challenge.ts';
import { Failure, fail } from '../../base/errors/errors.ts';
import { acceptsHtml } from '../../base/http/negotiation.ts';
import { type Problem, problemOf } from '../http/problem.ts';
import { isBodyArriving, respondEarly } from '../http/request-body.ts';
import { pathOf, readRequestId } from '../http/request-facts.ts';
import { sendWhole } from '../http/send.ts';
import type { Handle } from '../http/server.ts';
import { hasWindow } from '../http/unread.ts';
import { assetsPath, type SendAsset } from './assets.ts';
import { bindingsOf } from './binding.ts';
import type { GatewayOptions, HttpExchange, RouteTarget } from './exchange.ts';
import { handleMethod } from './method-handler.ts';
import { authenticatesClient, basicChallenge } from './oauth-form.ts';
import { handleRoute } from './route-handler.ts';
import { createRouter, type Match, type Route, type Router } from './router.ts';
import { parseTemplate, rootTemplate } from './template.ts';

/** Throws an error with the methods' names if a rule is not supported or two rules collide. */
export function createGateway(options: GatewayOptions, sendAsset: SendAsset): Handle {
  const ownRouter = createRouter(routesOf(options));
  const onDomains = options.routes.filter(({ isOnDomains }) => isOnDomains === true);
  const domainRouter = createRouter(routesOf({ endpoints: [], routes: onDomains }));

  /** Answers a request that no method and no route accepts. */
  async function respondUnrouted(
    exchange: HttpExchange,
    path: string,
    match: Exclude<Match<RouteTarget>, { kind: 'found' }>,
    router: Router<RouteTarget>,
  ): Promise<void> {
    switch (match.kind) {
      case 'not_found': {
        const { method = '', url = '' } = exchange.request;
        const isRead = method === 'GET' || method === 'HEAD';
        if (isRead && path.startsWith(assetsPath)) return sendAsset(exchange, path);
        const route = routeWithSlash(router, method, path);
        if (route === undefined) throw fail('not_found', 'Nothing exists at this path.');
        const location = path.slice(0, -1) + url.slice(path.length);
        const handle = async () => ({ status: 308, headers: { location }, body: undefined });
        return handleRoute({ ...route, handle }, exchange, options);
      }
      case 'malformed':
        throw fail('invalid_argument', 'The path is malformed.');
      case 'method_not_allowed': {
        const allow = match.allow.join(', ');
        throw fail('method_not_allowed', `The path accepts ${allow}.`, { headers: { allow } });
      }
    }
  }

  return (request, response) => {
    const path = pathOf(request.url ?? '');
    const domain = options.findDomain(request.headers.host);
    const router = domain === undefined ? ownRouter : domainRouter;
    const match = router.match(request.method ?? '', path);
    const found = match.kind === 'found' ? match : undefined;
    const exchange: HttpExchange = {
      request,
      response,
      requestId: readRequestId(request),
      peer: options.peerOf(request),
      started: performance.now(),
      domain,
      target: found?.value,
      variables: found?.variables ?? [],
      isBodyRead: false,
    };
    let answered: Promise<void>;
    if (match.kind !== 'found') answered = respondUnrouted(exchange, path, match, router);
    else if (match.value.kind === 'route')
      answered = handleRoute(match.value.route, exchange, options);
    else answered = handleMethod(match.value.binding, exchange, options);
    answered.catch((thrown: unknown) => {
      try {
        sendError(thrown, exchange, options);
      } catch {
        // An error that is not caught would end the process.
        response.destroy();
      }
    });
  };
}

function routeWithSlash(
  router: Router<RouteTarget>,
  method: string,
  path: string,
): HttpRoute | undefined {
  const match = path.endsWith('/') ? router.match(method, path.slice(0, -1)) : undefined;
  const target = match?.kind === 'found' ? match.value : undefined;
  return target?.kind === 'route' && target.route.matchesTrailingSlash ? target.route : undefined;
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

function sendError(thrown: unknown, exchange: HttpExchange, options: GatewayOptions): void {
  const { request, response, requestId, peer, started, domain, target } = exchange;
  const { publicUrl, notFoundHtml } = options;
  const failure = options.failureOf(thrown);
  const isMethod = target?.kind === 'method';
  // The guard has already reported its own errors.
  if (!(isMethod && thrown instanceof Failure)) {
    options.observe({
      name: target?.kind === 'route' ? target.route.name : 'unrouted',
      ...(target?.kind === 'route' ? { route: target.route.path } : {}),
      request,
      requestId,
      peer,
      status: failure.status,
      failure,
      durationMs: performance.now() - started,
    });
  }
  // A response that has begun can only end early.
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const endpoint = isMethod ? target.binding.endpoint : undefined;
  const oauthErrors = endpoint?.http.oauthErrors ?? false;
  // Each 401 has a challenge, even if the credential was in the body (RFC 9110 §15.5.2).
  const isOfClient = endpoint !== undefined && authenticatesClient(endpoint);
  const challenge = isOfClient ? basicChallenge : bearerChallenge();
  const problem = problemOf(failure, { publicUrl, requestId, oauthErrors, challenge });
  if (isBodyArriving(request) && !exchange.isBodyRead) {
    // A stalled sender does not end its body, so the connection is closed.
    if (failure.code === 'canceled') problem.headers.connection = 'close';
    respondEarly(request, response, withId(problem, requestId));
    return;
  }
  if (!hasWindow(request)) {
    sendHead(response, withId(problem, requestId));
    return;
  }
  const isBrowser = target === undefined && problem.status === 404 && wantsHtml(request);
  const page = isBrowser ? notFoundHtml?.[domain === undefined ? 'own' : 'domain'] : undefined;
  const { headers, body } = page ?? problem;
  sendWhole(exchange, { status: problem.status, headers }, body);
}

function wantsHtml({ method, headers }: IncomingMessage): boolean {
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
