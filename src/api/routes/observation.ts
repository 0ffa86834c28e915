import type { IncomingMessage } from 'node:http';
import type { Failure } from '../../base/errors/errors.ts';

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
