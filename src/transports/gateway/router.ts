// Finds the route for an HTTP method and path among the templates of all http rules, and reads the
// variables from the path.
import { parseTemplate, percentDecode, type Template } from './template.ts';

/** A path with more segments than this is not found, and a template may not have more. */
export const pathSegmentsMax = 64;

export interface Route<T> {
  /** In upper case; the wildcard method `*` of http.proto is not supported. */
  readonly method: string;
  readonly template: Template | string;
  readonly value: T;
  readonly name: string;
}

export type Capture = readonly [fieldPath: string, value: string];

export type Match<T> =
  | { readonly kind: 'found'; readonly value: T; readonly variables: readonly Capture[] }
  | { readonly kind: 'method_not_allowed'; readonly allow: readonly string[] }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'malformed' };

export interface Router<T> {
  /**
   * Expects the request path without its query, still percent-encoded. Returns the most specific
   * route with this method, independent of the order of registration: a template with a matching
   * verb first; then, segment by segment, a literal before `*` before `**`. HEAD matches routes of
   * GET. `malformed` means that the percent-encoding is invalid. `allow` is sorted.
   */
  match(method: string, rawPath: string): Match<T>;
}

/** Throws if a template or method is wrong, or if two routes would match the same requests. */
export function createRouter<T>(routes: readonly Route<T>[]): Router<T> {
  const root = createNode<T>();
  const verbs = new Set<string>();
  for (const route of routes) {
    const entry = createEntry(route);
    addEntry(root, entry);
    const { verb } = entry.template;
    if (verb !== undefined) verbs.add(verb);
  }
  return { match: (method, rawPath) => matchSegments(root, verbs, method, rawPath) };
}

interface Entry<T> {
  readonly method: string;
  readonly template: Template;
  readonly value: T;
  readonly name: string;
}

type Methods<T> = Map<string, Entry<T>>;

/** Keyed by verb. The empty string means no verb. */
type Ends<T> = Map<string, Methods<T>>;

/** A node of the tree of segments: templates that end here, end in `**`, or continue. */
interface Node<T> {
  readonly here: Ends<T>;
  readonly rest: Ends<T>;
  readonly literals: Map<string, Node<T>>;
  any: Node<T> | undefined;
}

/** The segments of a request path, as received and percent-decoded, with the same indices. */
interface PathSegments {
  readonly raw: readonly string[];
  readonly decoded: readonly string[];
}

/** One interpretation of a path: `/a/b:c` is `a`, `b` with the verb `c`, or `a`, `b:c`. */
interface Reading {
  readonly path: PathSegments;
  readonly verb: string;
}

function createNode<T>(): Node<T> {
  return { here: new Map(), rest: new Map(), literals: new Map(), any: undefined };
}

function createEntry<T>({ method, template, value, name }: Route<T>): Entry<T> {
  if (!/^[A-Z][A-Z-]*$/.test(method)) {
    throw new Error(`${name}: "${method}" is not an HTTP method that can be routed`);
  }
  const parsed = typeof template === 'string' ? parseFor(name, template) : template;
  if (parsed.segments.length > pathSegmentsMax) {
    throw new Error(`${name}: "${parsed.source}" has more than ${pathSegmentsMax} segments`);
  }
  return { method, template: parsed, value, name };
}

function parseFor(name: string, source: string): Template {
  try {
    return parseTemplate(source);
  } catch (cause) {
    throw new Error(`${name}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

function addEntry<T>(root: Node<T>, entry: Entry<T>): void {
  let node = root;
  let ends = root.here;
  for (const segment of entry.template.segments) {
    if (segment.kind === 'rest') {
      ends = node.rest;
    } else {
      node = segment.kind === 'any' ? anyChild(node) : literalChild(node, segment.text);
      ends = node.here;
    }
  }
  const methods = getOrAdd(ends, entry.template.verb ?? '', () => new Map<string, Entry<T>>());
  const other = methods.get(entry.method);
  if (other !== undefined) {
    throw new Error(`${describe(other)} and ${describe(entry)} match the same requests`);
  }
  methods.set(entry.method, entry);
}

function anyChild<T>(node: Node<T>): Node<T> {
  node.any ??= createNode();
  return node.any;
}

function literalChild<T>(node: Node<T>, text: string): Node<T> {
  return getOrAdd(node.literals, text, () => createNode<T>());
}

function getOrAdd<V>(map: Map<string, V>, key: string, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}

function describe({ method, template, name }: Entry<unknown>): string {
  return `${name} (${method} ${template.source})`;
}

function matchSegments<T>(
  root: Node<T>,
  verbs: ReadonlySet<string>,
  method: string,
  rawPath: string,
): Match<T> {
  const path = splitPath(rawPath);
  if (path === 'not_found' || path === 'malformed') return { kind: path };
  const readings = readingsOf(path, rawPath, verbs);
  for (const reading of readings) {
    const entry = visitEnds(root, reading, 0, (methods) => entryFor(methods, method));
    if (entry !== undefined) {
      const variables = captureVariables(entry.template, reading.path);
      return { kind: 'found', value: entry.value, variables };
    }
  }
  const allow = allowedMethods(root, readings);
  return allow.length > 0 ? { kind: 'method_not_allowed', allow } : { kind: 'not_found' };
}

/** A path with an empty segment, such as after a trailing slash, never matches. */
function splitPath(rawPath: string): PathSegments | 'not_found' | 'malformed' {
  if (!rawPath.startsWith('/')) return 'not_found';
  if (rawPath === '/') return { raw: [], decoded: [] };
  const raw = rawPath.slice(1).split('/', pathSegmentsMax + 1);
  if (raw.length > pathSegmentsMax || raw.includes('')) return 'not_found';
  if (!rawPath.includes('%')) return { raw, decoded: raw };
  const decoded: string[] = [];
  for (const segment of raw) {
    const text = percentDecode(segment);
    if (text === undefined) return 'malformed';
    decoded.push(text);
  }
  return { raw, decoded };
}

/** Returns the reading with a verb first, if any template has that verb. */
function readingsOf(path: PathSegments, rawPath: string, verbs: ReadonlySet<string>): Reading[] {
  const plain = { path, verb: '' };
  const colon = rawPath.lastIndexOf(':');
  if (colon < rawPath.lastIndexOf('/')) return [plain];
  const verb = percentDecode(rawPath.slice(colon + 1));
  if (verb === undefined || !verbs.has(verb)) return [plain];
  const rest = splitPath(rawPath.slice(0, colon));
  return typeof rest === 'string' ? [plain] : [{ path: rest, verb }, plain];
}

/**
 * Calls `visit` with the methods of each matching template, the most specific first, until it
 * returns a value. Visits a node at most once, so the work depends on the number of templates, not
 * on the path.
 */
function visitEnds<T, R extends object>(
  node: Node<T>,
  reading: Reading,
  depth: number,
  visit: (methods: Methods<T>) => R | undefined,
): R | undefined {
  const segment = reading.path.decoded[depth];
  const rest = node.rest.get(reading.verb);
  if (segment === undefined) {
    const here = node.here.get(reading.verb);
    return (here && visit(here)) ?? (rest && visit(rest));
  }
  const literal = node.literals.get(segment);
  return (
    (literal && visitEnds(literal, reading, depth + 1, visit)) ??
    (node.any && visitEnds(node.any, reading, depth + 1, visit)) ??
    (rest && visit(rest))
  );
}

function entryFor<T>(methods: Methods<T>, method: string): Entry<T> | undefined {
  return methods.get(method) ?? (method === 'HEAD' ? methods.get('GET') : undefined);
}

function allowedMethods<T>(root: Node<T>, readings: readonly Reading[]): string[] {
  const allowed = new Set<string>();
  for (const reading of readings) {
    visitEnds(root, reading, 0, (methods) => {
      for (const method of methods.keys()) allowed.add(method);
      return undefined;
    });
  }
  if (allowed.has('GET')) allowed.add('HEAD');
  return [...allowed].sort();
}

function captureVariables(template: Template, path: PathSegments): Capture[] {
  return template.variables.map(({ fieldPath, start, end, multiSegment }) => {
    const segments = multiSegment
      ? path.raw.slice(start, end).map(decodeKeepingSlashes)
      : path.decoded.slice(start, end);
    return [fieldPath, segments.join('/')];
  });
}

/** http.proto: a multi-segment variable is decoded "except "%2F" and "%2f" are left unchanged". */
function decodeKeepingSlashes(segment: string): string {
  if (!segment.includes('%')) return segment;
  return decodeURIComponent(segment.replaceAll('%2F', '%252F').replaceAll('%2f', '%252f'));
}
