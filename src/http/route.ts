// An HTTP route is a path that is not an rpc: HTML, files, beacons. A feature defines its routes;
// only the HTTP transport knows how they are sent.
import type { Readable } from 'node:stream';
import type { Failure } from '../errors/errors.ts';

export type RouteRequest = {
  readonly isHead: boolean;
  /** The caller's network address. */
  readonly peer: string;
  /** The variables of the page's path. */
  readonly variables: Readonly<Record<string, string>>;
  /** The fields of a form (`application/x-www-form-urlencoded`). */
  readonly form: URLSearchParams;
  header(name: string): string | undefined;
};

export type RouteReply = {
  readonly status: number;
  /** Several values are several headers of the name. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Readable | undefined;
  /** For the log: the error that the page tells of. */
  readonly failure?: Failure;
};

export type HttpRoute = {
  /** A page for GET also answers HEAD. */
  readonly method: 'GET' | 'POST';
  /** A path template, such as `/s/{slug}`. */
  readonly path: string;
  /** The name in logs and metrics. */
  readonly name: string;
  /** Whether its address with a slash at the end, which people type, leads to it. */
  readonly takesSlash?: boolean;
  answer(request: RouteRequest): Promise<RouteReply>;
};
