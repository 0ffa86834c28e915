// The options that the service is started with.
import path from 'node:path';
import type { ResponseBudgetOptions } from '../api/response-budget.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import type { Random } from '../base/crypto/ids.ts';
import type { Log } from '../observe/log.ts';
import type { Telemetry } from '../observe/telemetry.ts';
import type { AdmissionLimits } from '../transports/admission.ts';
import type { GrpcLimits } from '../transports/grpc/server.ts';
import type { HttpLimits } from '../transports/http/server.ts';
import type { TlsTimes } from '../transports/tls/tls.ts';
import type { Sockets } from './sockets.ts';

export type AppOptions = {
  readonly config: Config;
  readonly log: Log;
  readonly droppedLines: () => number;
  /** The variables of the process, for OpenTelemetry. It is off without them. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly telemetry?: Telemetry | undefined;
  readonly webDir: string;
  readonly sampleFile?: string;
  /** The sockets of a worker process. Without them, the service binds its own. */
  readonly sockets?: Sockets;
  /** The DNS servers that verify domains. By default, those of the system. */
  readonly dnsServers?: readonly string[];
  readonly now?: Clock;
  readonly random?: Random;
  /** How long an upload may pause. Must be shorter than the timeout of the HTTP transport. */
  readonly uploadStalledMs?: number;
  readonly blobLeaseMs?: number;
  /** How long a change that counts for a workspace waits for earlier ones. */
  readonly workspaceWaitMs?: number;
  readonly bodyTimeoutMs?: number;
  /** A smaller budget for tests, which cannot fill the real one. */
  readonly responseBudget?: Partial<ResponseBudgetOptions>;
  readonly httpLimits?: Partial<HttpLimits>;
  readonly admissionLimits?: Partial<AdmissionLimits>;
  readonly tlsTimes?: Partial<TlsTimes>;
  /** Lower limits for tests, which cannot reach the real ones. */
  readonly grpcLimits?: Partial<GrpcLimits>;
};

export const bootstrapFileOf = ({ config }: AppOptions) =>
  path.join(config.dataDir, 'bootstrap.env');
