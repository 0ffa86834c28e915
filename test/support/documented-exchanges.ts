// Compares every exchange of the suite's HTTP client with the OpenAPI document. An undocumented
// response fails the request.
import {
  type Response as Answer,
  documentedRouter,
  errorsOf,
  type Operation,
  resolve,
} from './openapi.ts';

const origins = new Set<string>();
let isInstalled = false;

/** Checks the requests to this origin until the returned function is called. */
export function checkExchangesWith(origin: string): () => void {
  if (!isInstalled) install();
  isInstalled = true;
  origins.add(origin);
  return () => origins.delete(origin);
}

function install(): void {
  const send = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const response = await send(input, init);
    const url = new URL(input instanceof Request ? input.url : input);
    if (!origins.has(url.origin) || response.redirected || isUndescribed(url.pathname)) {
      return response;
    }
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
    const exchange = { method: method.toUpperCase(), url, init, response };
    const flaw = await flawOf(exchange);
    if (flaw === undefined) return response;
    const name = `${exchange.method} ${url.pathname} ${response.status}`;
    throw new Error(`The OpenAPI document does not describe ${name}: ${flaw}`);
  };
}

/** Assets, and the methods over Connect, which have no HTTP form. */
function isUndescribed(path: string): boolean {
  return path.startsWith('/assets/') || /^\/[\w.]+\.v1\.\w+(\/|$)/.test(path);
}

type Exchange = {
  readonly method: string;
  readonly url: URL;
  readonly init: RequestInit | undefined;
  readonly response: Response;
};

/** Errors that any request can cause before it has a route. */
const malformedStatuses = [400, 408, 417, 431];

const problem: Answer = {
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

async function flawOf(exchange: Exchange): Promise<string | undefined> {
  const { method, url, response } = exchange;
  const { status } = response;
  const match = documentedRouter().match(method, url.pathname);
  if (match.kind !== 'found') {
    if (isPreflight(exchange)) return undefined;
    if (status === 308 && url.pathname.endsWith('/')) return undefined;
    if (status === 404 && /^text\/html/.test(response.headers.get('content-type') ?? '')) {
      return undefined;
    }
    const expected = match.kind === 'method_not_allowed' ? 405 : 404;
    if (status !== expected && !malformedStatuses.includes(status)) return 'no such operation';
    return bodyFlaw(exchange, problem);
  }
  const { value: operation } = match;
  const found = operation.responses[status];
  if (found === undefined) {
    return malformedStatuses.includes(status)
      ? bodyFlaw(exchange, problem)
      : `${operation.operationId} has no such status (${await response.clone().text()})`;
  }
  const answer = resolve(found);
  return (
    headerFlaw(answer, response) ??
    (await bodyFlaw(exchange, answer)) ??
    (response.ok ? requestFlaw(operation, exchange) : undefined)
  );
}

/** The document says this once, not for each operation. */
const isPreflight = ({ method, init, response }: Exchange) =>
  method === 'OPTIONS' &&
  response.status === 204 &&
  new Headers(init?.headers).has('access-control-request-method');

/** Headers of transports, caches and browsers, which the document does not mention. */
const generalHeaders = new Set([
  ...['connection', 'content-encoding', 'content-length', 'content-type', 'date', 'keep-alive'],
  ...['access-control-allow-origin', 'access-control-expose-headers', 'content-security-policy'],
  'permissions-policy',
  'cross-origin-opener-policy',
  ...['cross-origin-resource-policy', 'pragma', 'referrer-policy', 'strict-transport-security'],
  ...['transfer-encoding', 'vary', 'x-content-type-options', 'x-robots-tag'],
]);

function headerFlaw({ headers = {} }: Answer, response: Response): string | undefined {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  for (const name of response.headers.keys()) {
    if (!generalHeaders.has(name) && !names.has(name)) return `the header ${name}`;
  }
  const missing = Object.entries(headers).find(
    ([name, header]) => resolve(header).required === true && !response.headers.has(name),
  );
  return missing === undefined ? undefined : `without the header ${missing[0]}`;
}

async function bodyFlaw(
  { method, response }: Exchange,
  answer: Answer,
): Promise<string | undefined> {
  // These responses have the headers of a body, but no body.
  if (method === 'HEAD' || response.status === 304) return undefined;
  const type = response.headers.get('content-type')?.split(';', 1)[0];
  if (type === undefined) {
    return answer.content === undefined ? undefined : 'a response without a content type';
  }
  const media = answer.content?.[type] ?? answer.content?.['*/*'];
  if (media === undefined) return `the content type ${type}`;
  if (!/[/+]json$/.test(type) || media.schema === undefined) return undefined;
  const json = await jsonOf(response);
  return json === undefined ? undefined : errorsOf(media.schema, json.value);
}

/** Undefined if the connection closes before the end of the body, which the test will see. */
async function jsonOf(response: Response): Promise<{ value: unknown } | undefined> {
  try {
    return { value: await response.clone().json() };
  } catch {
    return undefined;
  }
}

/** A request that the service accepted must be valid, too. */
function requestFlaw(operation: Operation, { url, init }: Exchange): string | undefined {
  const parameters = operation.parameters.map(resolve);
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const names = new Set(known.map(({ name }) => name));
  const unknown = [...url.searchParams.keys()].find((name) => !names.has(snakeCase(name)));
  if (unknown !== undefined && operation.tags.every((tag) => !webTags.has(tag))) {
    return `the query parameter ${unknown}`;
  }
  const schema = operation.requestBody?.content['application/json']?.schema;
  const type = new Headers(init?.headers).get('content-type');
  if (schema === undefined || typeof init?.body !== 'string') return undefined;
  if (type !== 'application/json' || init.body === '') return undefined;
  const errors = errorsOf(schema, withoutNulls(snakeMembers(JSON.parse(init.body))));
  return errors === undefined ? undefined : `the request: ${errors}`;
}

/** Routes of web pages ignore the query. */
const webTags = new Set(['Shared links', 'API reference', 'Console']);

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);

/** The gateway also accepts the names of ProtoJSON. */
function snakeMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeMembers);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([name, item]) => [
    snakeCase(name),
    snakeMembers(item),
  ]);
  return Object.fromEntries(entries);
}

/** In ProtoJSON, null is the same as a missing member. */
function withoutNulls(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}
