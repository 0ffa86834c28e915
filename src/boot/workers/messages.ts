// The messages between the primary process of a node and its workers.
import type { Environment } from '../../base/config/secret-files.ts';
import type { ProcessMetrics } from '../../observe/merge-metrics.ts';
import type { Readiness } from '../../transports/ops-server.ts';
import type { Sockets } from '../sockets.ts';

export type SharedSocket = 'http' | 'grpc';

export type StartMessage = {
  readonly type: 'start';
  /** The settings of the primary. Files with secrets may have changed since it read them. */
  readonly settings: Environment;
  readonly ports: Readonly<Record<SharedSocket, number>>;
  readonly urls: Sockets['urls'];
  readonly logFormat: 'json' | 'pretty';
};

export type ToWorker =
  | StartMessage
  | { readonly type: 'stop' }
  /** Requests a `pong`, which a worker sends at once unless it hangs. */
  | { readonly type: 'ping' }
  | { readonly type: 'report'; readonly id: number }
  /** The primary no longer listens on the port, so that the workers can. */
  | { readonly type: 'released'; readonly socket: SharedSocket };

export type Report = { readonly readiness: Readiness; readonly metrics: ProcessMetrics };

export type FromWorker =
  /** The worker now receives messages; earlier ones would be lost. */
  | { readonly type: 'listening' }
  | { readonly type: 'release'; readonly socket: SharedSocket }
  | { readonly type: 'ready' }
  | { readonly type: 'pong' }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'report'; readonly id: number; readonly report: Report };
