import type { IncomingMessage } from 'node:http';
import type { Failure } from '../../base/errors/errors.ts';

/** A request that reached no method. The guard observes calls of methods. */
export type HttpObservation = {
  /** The name of the route; `unrouted` if no route matches. */
  readonly name: string;
  /** The path template of the route. */
  readonly route?: string;
  readonly request: Pick<IncomingMessage, 'method' | 'headers'>;
  readonly requestId: string;
  readonly peer: string;
  readonly status: number;
  /** Undefined for a success. */
  readonly failure: Failure | undefined;
  readonly durationMs: number;
};
