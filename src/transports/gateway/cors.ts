// Browser code of other origins (Fetch §3.2): lets it call the API with a token. Cookies are never
// accepted from it, so methods that work with the session cookie stay closed, like all HTML.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { SessionCookie } from '../../../gen/latchkey/options/v1/access_pb.js';
import type { Endpoint } from '../../api/endpoint.ts';
import { bindingsOf } from './binding.ts';
import { createRouter } from './router.ts';

export type Cors = {
  /** Sets the headers of a response. Returns whether the request was a preflight, now answered. */
  handle(path: string, request: IncomingMessage, response: ServerResponse): boolean;
};

export type CorsOptions = {
  /** Exact origins, or only `*`. */
  readonly origins: readonly string[];
  readonly endpoints: readonly Endpoint[];
};

/** Browsers keep the answer to a preflight for two hours at most. */
const maxAgeSeconds = 7200;
const corsMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function createCors({ origins, endpoints }: CorsOptions): Cors {
  const closed = new Set(endpoints.filter(usesCookie).map(({ descriptor }) => descriptor.parent));
  const open = endpoints.filter(({ descriptor }) => !closed.has(descriptor.parent));
  const connectPaths = new Set(open.map(({ name }) => `/${name}`));
  const router = createRouter(
    open.flatMap(bindingsOf).map(({ method, template, endpoint }) => ({
      method,
      template,
      value: endpoint,
      name: endpoint.name,
    })),
  );
  const isAll = origins.includes('*');
  const allowed = new Set(origins);

  function methodsOf(path: string): readonly string[] {
    if (connectPaths.has(path)) return ['GET', 'HEAD', 'POST'];
    return corsMethods.filter((method) => router.match(method, path).kind === 'found');
  }

  const serves = (method: string, path: string) =>
    connectPaths.has(path) || router.match(method, path).kind === 'found';

  return {
    handle(path, request, response) {
      const { method = '', headers } = request;
      const isPreflight =
        method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
      const methods = isPreflight ? methodsOf(path) : [];
      const isApi = isPreflight ? methods.length > 0 : serves(method, path);
      if (!isApi) return false;
      const { origin } = headers;
      // Without this, a cache could send a response for one origin to another one.
      if (!isAll) addVary(response);
      if (origin === undefined || !(isAll || allowed.has(origin))) return false;
      response.setHeader('access-control-allow-origin', isAll ? '*' : origin);
      if (!isPreflight) {
        response.setHeader('access-control-expose-headers', '*');
        return false;
      }
      response
        .writeHead(204, {
          'access-control-allow-methods': methods.join(', '),
          // `*` does not include Authorization.
          'access-control-allow-headers': '*, authorization',
          'access-control-max-age': String(maxAgeSeconds),
        })
        .end();
      return true;
    },
  };
}

/** All methods of a service with such a method stay closed, such as signing in. */
const usesCookie = ({ access }: Endpoint) => access.sessionCookie !== SessionCookie.UNSPECIFIED;

type HeaderList = OutgoingHttpHeaders | (string | string[])[];

/** Adds `Origin` to the `Vary` of a response, whose handler may set others. */
function addVary(response: ServerResponse): void {
  response.setHeader('vary', 'origin');
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (status: number, ...rest: unknown[]) => {
    const given = rest.find((argument) => typeof argument === 'object') as HeaderList | undefined;
    if (given !== undefined) return writeHead(status, withOrigin(given));
    const vary = String(response.getHeader('vary') ?? '');
    if (!vary.includes('origin')) response.setHeader('vary', `${vary}, origin`);
    return writeHead(status);
  };
}

function withOrigin(headers: HeaderList): OutgoingHttpHeaders {
  const isFlat = Array.isArray(headers);
  const entries = isFlat ? pairsOf(headers) : Object.entries(headers);
  const found: OutgoingHttpHeaders = {};
  for (const [given, value] of entries) {
    const name = given.toLowerCase();
    const earlier = found[name];
    const all = earlier === undefined ? value : [earlier, value ?? []].flat().map(String);
    found[name] = name === 'vary' && earlier === undefined ? `${value}, origin` : all;
  }
  return { vary: 'origin', ...found };
}

function pairsOf(list: readonly (string | string[])[]): [string, string | string[]][] {
  return Array.from({ length: list.length / 2 }, (_, i) => [
    String(list[2 * i]),
    list[2 * i + 1] ?? '',
  ]);
}
