// An HTTP route is a path that is not an rpc: HTML, files, beacons. Features define routes, and the
// HTTP transport serves them.
import type { Failure } from '../../base/errors/errors.ts';
import type { RouteDoc } from './route-doc.ts';

export type RouteRequest = {
  readonly isHead: boolean;
  /** The caller's network address. */
  readonly peer: string;
  /**
   * Call it before the content of a workspace is read. Throws `unavailable` if too many responses
   * wait for clients to read them.
   */
  reserveBody(workspaceId: string): void;
  /** The variables of the route's path. */
  readonly variables: Readonly<Record<string, string>>;
  /** The fields of a form (`application/x-www-form-urlencoded`). */
  readonly form: URLSearchParams;
  header(name: string): string | undefined;
};

export type RouteReply = {
  readonly status: number;
  /** An array becomes one header per value. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /**
   * Bytes are shared by responses and never change. The chunks of a stream have the length that
   * the headers announce.
   */
  readonly body: string | Uint8Array | AsyncGenerator<Uint8Array> | undefined;
  /** For the log: the error that the HTML shows. */
  readonly failure?: Failure;
};

export type HttpRoute = {
  /** A GET route also answers HEAD. */
  readonly method: 'GET' | 'POST';
  /** A path template, such as `/s/{slug}`. */
  readonly path: string;
  /** The name in logs and metrics. */
  readonly name: string;
  /** Whether the path also matches with a trailing slash, because people type it. */
  readonly matchesTrailingSlash?: boolean;
  /** The route's description in the OpenAPI document. */
  readonly doc: RouteDoc;
  handle(request: RouteRequest): Promise<RouteReply>;
};
