// The options of the gateway, and a request with its response, for all its files.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyBudgets } from '../../api/body-budget.ts';
import type { Endpoint } from '../../api/endpoint.ts';
import type { HttpObservation, HttpRoute, LinkDomain } from '../../api/routes/route.ts';
import type { Failure } from '../../base/errors/errors.ts';
import type { NotFoundHtml } from '../../site/not-found-html.ts';
import type { PeerOf } from '../http/request-facts.ts';
import type { Deadlines } from '../http/server.ts';
import type { Unread } from '../http/unread.ts';
import type { Binding } from './binding.ts';
import type { Capture } from './router.ts';

export type GatewayOptions = {
  readonly endpoints: readonly Endpoint[];
  readonly routes: readonly HttpRoute[];
  /** Sent to browsers for a path that does not exist: under the own host name, or a domain. */
  readonly notFoundHtml?: { readonly own: NotFoundHtml; readonly domain: NotFoundHtml };
  readonly findDomain: (host: string | undefined) => LinkDomain | undefined;
  readonly publicUrl: string;
  readonly peerOf: PeerOf;
  readonly bodies: BodyBudgets;
  readonly deadlines: Deadlines;
  readonly unread: Unread;
  readonly releaseChunk: (chunk: Uint8Array) => void;
  readonly observe: (observation: HttpObservation) => void;
  readonly failureOf: (thrown: unknown) => Failure;
};

export type RouteTarget =
  | { readonly kind: 'method'; readonly binding: Binding }
  | { readonly kind: 'route'; readonly route: HttpRoute };

export type HttpExchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly peer: string;
  readonly started: number;
  readonly domain: LinkDomain | undefined;
  /** Undefined if no route matches. */
  readonly target: RouteTarget | undefined;
  readonly variables: readonly Capture[];
  /** Whether the whole body was read. Node may note its end later. */
  isBodyRead: boolean;
};
