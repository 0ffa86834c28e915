// What the gateway knows about a request once it is routed.

import type { HttpRoute } from '../../http/route.ts';
import type { Binding } from './binding.ts';
import type { Capture } from './template.ts';

/** What a route leads to. */
export type Target =
  | { readonly kind: 'method'; readonly binding: Binding }
  | { readonly kind: 'route'; readonly route: HttpRoute };

/** What routing has found out about a request. */
export type Routed = {
  readonly requestId: string;
  /** The caller's network address. */
  readonly peer: string;
  readonly started: number;
  /** Undefined where the request leads nowhere. */
  readonly target: Target | undefined;
  readonly variables: readonly Capture[];
};

declare module 'fastify' {
  interface FastifyRequest {
    routed: Routed | undefined;
  }
}
