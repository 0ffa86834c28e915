// The result of routing a request in the gateway.

import type { HttpRoute, LinkDomain } from '../../api/routes/route.ts';
import type { Binding } from './binding.ts';
import type { Capture } from './template.ts';

/** The target of a route. */
export type RouteTarget =
  | { readonly kind: 'method'; readonly binding: Binding }
  | { readonly kind: 'route'; readonly route: HttpRoute };

export type RoutedRequest = {
  readonly requestId: string;
  /** The caller's network address. */
  readonly peer: string;
  readonly started: number;
  readonly domain: LinkDomain | undefined;
  /** Undefined if no route matches. */
  readonly target: RouteTarget | undefined;
  readonly variables: readonly Capture[];
  /** Whether the whole body was read. Node may note its end later. */
  isBodyRead: boolean;
};

declare module 'fastify' {
  interface FastifyRequest {
    routed: RoutedRequest | undefined;
  }
}
