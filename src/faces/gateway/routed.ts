// What the gateway knows of a request once it is routed, and what it tells of it afterwards.
import type { Page } from '../../http/page.ts';
import type { Failure } from '../../rpc/errors.ts';
import type { Binding } from './binding.ts';
import type { Capture } from './template.ts';

/** What a route leads to. */
export type Target =
  | { readonly kind: 'method'; readonly binding: Binding }
  | { readonly kind: 'page'; readonly page: Page };

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

/** What is told of a request that reached no method, whose guard tells of it. */
export type HttpObservation = {
  /** The page's name; `unrouted` where there is none. */
  readonly name: string;
  readonly requestId: string;
  readonly peer: string;
  readonly status: number;
  /** Undefined for a success. */
  readonly failure: Failure | undefined;
  readonly durationMs: number;
};
