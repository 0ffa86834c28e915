// An HTTP route is a path that is not an rpc: HTML, files, beacons. Features define routes, and the
// HTTP transport serves them.

import type { IncomingMessage } from 'node:http';
import type { Failure } from '../../base/errors/errors.ts';
import type { ClientCertificate } from '../call.ts';
import type { RouteDoc } from './route-doc.ts';

/** A host name under which the service serves the links of one workspace. */
export type LinkDomain = {
  readonly origin: string;
  /** Undefined if the domain was deleted: then it serves no link. */
  readonly workspaceId: string | undefined;
};

export type RouteRequest = {
  readonly isHead: boolean;
  /** The path and the query, as the caller sent them. */
  readonly url: string;
  readonly peer: string;
  readonly requestId: string;
  /** The custom domain of the request. Undefined for every other host name. */
  readonly domain: LinkDomain | undefined;
  /** Call it before a workspace's content is read. Throws `unavailable` beyond the budget. */
  reserveBody(workspaceId: string): void;
  readonly variables: Readonly<Record<string, string>>;
  /** The query of the address. A route ignores the parameters that it does not know. */
  readonly query: URLSearchParams;
  /** The fields of a form (`application/x-www-form-urlencoded`). */
  readonly form: URLSearchParams;
  header(name: string): string | undefined;
  clientCertificate(): ClientCertificate | undefined;
  /** Aborts when the response has ended or its connection has closed. */
  signal(): AbortSignal;
};

export type RouteReply = {
  readonly status: number;
  /** An array becomes one header per value. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Shared bytes never change. A stream has the length that the headers announce. */
  readonly body: string | Uint8Array | AsyncGenerator<Uint8Array> | undefined;
  readonly failure?: Failure;
};

export type HttpRoute = {
  /** A GET route also answers HEAD. */
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly name: string;
  /** Whether the path also matches with a trailing slash, because people type it. */
  readonly matchesTrailingSlash?: boolean;
  /** Whether custom domains serve the route, too. */
  readonly isOnDomains?: boolean;
  readonly doc: RouteDoc;
  handle(request: RouteRequest): Promise<RouteReply>;
};

/** A request that reached no method. The guard observes calls of methods. */
export type HttpObservation = {
  readonly name: string;
  readonly route?: string;
  readonly request: Pick<IncomingMessage, 'method' | 'headers'>;
  readonly requestId: string;
  readonly peer: string;
  readonly status: number;
  readonly failure: Failure | undefined;
  readonly durationMs: number;
};
