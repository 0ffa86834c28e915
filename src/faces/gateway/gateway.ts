// The JSON gateway: routes every annotated method and every page, and says every error.
import { METHODS } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Page } from '../../http/page.ts';
import { requestIdFrom } from '../../rpc/call.ts';
import type { Endpoint } from '../../rpc/endpoint.ts';
import { Failure, fail } from '../../rpc/errors.ts';
import type { PeerOf } from '../peer.ts';
import { bindingsOf } from './binding.ts';
import { answerMethod } from './method.ts';
import { basicChallenge, usesBasic } from './oauth-form.ts';
import { answerPage } from './page.ts';
import { problemOf } from './problem.ts';
import type { HttpObservation, Routed, Target } from './routed.ts';
import { createRouter, type Route } from './router.ts';
import { parseTemplate } from './template.ts';

export type GatewayOptions = {
  readonly endpoints: readonly Endpoint[];
  readonly pages: readonly Page[];
  /** The service's own origin. */
  readonly publicUrl: () => string;
  readonly peerOf: PeerOf;
  readonly observe: (observation: HttpObservation) => void;
  /** Turns whatever was thrown into an error of the catalogue. */
  readonly failureOf: (thrown: unknown) => Failure;
};

/** Throws, naming the methods, where a rule cannot be expressed or two of them collide. */
export function registerGateway(app: FastifyInstance, options: GatewayOptions): void {
  const router = createRouter(routesOf(options));

  // Text stays text until the caller was let in; a form flows on into its handler.
  app.removeAllContentTypeParsers();
  const textTypes = ['application/json', 'application/x-www-form-urlencoded'];
  app.addContentTypeParser<string>(textTypes, { parseAs: 'string' }, (_request, body, done) => {
    // What is not UTF-8 has been decoded to this character, which no sender writes by intent.
    if (body.includes('\ufffd')) done(fail('invalid_argument', 'The body is not UTF-8.'));
    else done(null, body);
  });
  app.addContentTypeParser('multipart/form-data', (_request, body, done) => done(null, body));
  app.decorateRequest('routed', undefined);
  app.setErrorHandler<FastifyError>((error, request, reply) =>
    sayError(error, request, reply, options),
  );
  // Only the assets, which have a route of their own, come here.
  app.setNotFoundHandler(() => {
    throw notFound();
  });

  /** The page whose path it is but for a slash at its end. */
  function pageWithSlash(method: string, path: string): Page | undefined {
    const match = path.endsWith('/') ? router.match(method, path.slice(0, -1)) : undefined;
    const target = match?.kind === 'found' ? match.value : undefined;
    return target?.kind === 'page' && target.page.takesSlash ? target.page : undefined;
  }

  // Every method that HTTP knows is routed here, if only to be told which ones there are.
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });
  }
  app.route({
    method: METHODS,
    url: '*',
    onRequest(request, reply, done) {
      const requestId = requestIdOf(request);
      reply.header('x-request-id', requestId);
      const path = pathOf(request.raw.url ?? '');
      const match = router.match(request.method, path);
      const found = match.kind === 'found';
      request.routed = {
        requestId,
        peer: options.peerOf(request.raw),
        started: performance.now(),
        target: found ? match.value : undefined,
        variables: found ? match.variables : [],
      };
      switch (match.kind) {
        case 'found':
          return done(isEncoded(request) ? encodedBody() : undefined);
        case 'not_found': {
          const page = pageWithSlash(request.method, path);
          if (page === undefined) return done(notFound());
          const address = path.slice(0, -1) + (request.raw.url ?? '').slice(path.length);
          redirect(address, page, request.routed, reply, options);
          return;
        }
        case 'malformed':
          return done(fail('invalid_argument', 'The path is not well-formed.'));
        case 'method_not_allowed': {
          const allow = match.allow.join(', ');
          const detail = `The path takes ${allow}.`;
          return done(fail('method_not_allowed', detail, { headers: { allow } }));
        }
      }
    },
    handler(request, reply) {
      const { routed } = request;
      switch (routed?.target?.kind) {
        case 'method':
          return answerMethod(routed.target.binding, routed, request, reply);
        case 'page':
          return answerPage(routed.target.page, routed, request, reply, options);
        case undefined:
          throw new Error('a request that leads nowhere was answered');
      }
    },
  });
}

function redirect(
  address: string,
  { name }: Page,
  { requestId, peer, started }: Routed,
  reply: FastifyReply,
  { observe }: GatewayOptions,
): void {
  const durationMs = performance.now() - started;
  observe({ name, requestId, peer, status: 308, failure: undefined, durationMs });
  reply.redirect(address, 308);
}

function routesOf({ endpoints, pages }: GatewayOptions): Route<Target>[] {
  const methods = endpoints.flatMap(bindingsOf).map((binding) => ({
    method: binding.method,
    template: binding.template,
    value: { kind: 'method', binding } as const,
    name: binding.endpoint.name,
  }));
  const others = pages.map((page) => ({
    method: page.method,
    template: parseTemplate(page.path),
    value: { kind: 'page', page } as const,
    name: page.name,
  }));
  return [...methods, ...others];
}

/** The path of a request target. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

const notFound = () => fail('not_found', 'There is nothing at this path.');

const encodedBody = () => fail('unsupported_media_type', 'The body must not be compressed.');

/** Whether the body has a content coding (RFC 9110 §8.4), of which none is taken. */
function isEncoded({ headers }: FastifyRequest): boolean {
  return (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
}

function requestIdOf({ headers }: FastifyRequest): string {
  const header = headers['x-request-id'];
  return requestIdFrom(typeof header === 'string' ? header : undefined);
}

const noHttp = { oauthErrors: false, oauthForm: false };

/** Says an error, wherever in the handling of a request it came up. */
export function sayError(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
  { publicUrl, observe, peerOf, failureOf }: GatewayOptions,
): void {
  const { routed } = request;
  const failure = fromFastify(error, routed === undefined) ?? failureOf(error);
  const requestId = routed?.requestId ?? requestIdOf(request);
  const target = routed?.target;
  const isMethod = target?.kind === 'method';
  // Whatever the guard has thrown it has told of itself.
  if (!(isMethod && error instanceof Failure)) {
    observe({
      name: target?.kind === 'page' ? target.page.name : 'unrouted',
      requestId,
      peer: routed?.peer ?? peerOf(request.raw),
      status: failure.status,
      failure,
      durationMs: performance.now() - (routed?.started ?? performance.now()),
    });
  }
  const { oauthErrors, oauthForm } = isMethod ? target.binding.endpoint.http : noHttp;
  const triedBasic = oauthForm && usesBasic(request.headers.authorization);
  const challenge = triedBasic ? basicChallenge : undefined;
  const problem = problemOf(failure, { publicUrl: publicUrl(), requestId, oauthErrors, challenge });
  endBody(request, reply);
  // serializer: the body is text already, whatever its content type.
  reply
    .status(problem.status)
    .headers(problem.headers)
    .header('x-request-id', requestId)
    .serializer((body) => String(body))
    .send(problem.body);
}

/** How long the rest of a refused body is still read, so that its sender gets to see the answer. */
const lingerMs = 2_000;

/** Ends the connection of a request whose body was not read to its end. */
function endBody(request: FastifyRequest, reply: FastifyReply): void {
  if (!hasBody(request) || request.raw.complete || request.raw.destroyed) return;
  reply.header('connection', 'close');
  const { socket } = request.raw;
  request.raw.unpipe();
  request.raw.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

/** RFC 9112 §6.3. A request without a body is complete only after the first of its handlers. */
function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const fastifyCodes: Record<string, () => Failure> = {
  FST_ERR_BAD_URL: () => fail('invalid_argument', 'The path is not well-formed.'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => fail('payload_too_large', 'The body is too large.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    fail('unsupported_media_type', 'The content type is not one that is taken here.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    fail('invalid_argument', 'The body is not as long as its Content-Length says.'),
};

function fromFastify(error: FastifyError | Error, isAsset: boolean): Failure | undefined {
  if (error instanceof Failure || !('code' in error || 'statusCode' in error)) return undefined;
  const known = 'code' in error ? fastifyCodes[error.code] : undefined;
  if (known !== undefined) return known();
  // A name that @fastify/static would not look up: with dot segments, a NUL, or of a folder.
  const status = 'statusCode' in error ? Number(error.statusCode) : 500;
  return isAsset && status >= 400 && status < 500 ? notFound() : undefined;
}
