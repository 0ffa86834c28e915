// The composition root: starts the service in four stages, and stops it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResponseBudget } from '../api/response-budget.ts';
import { useNodeTextEncoding } from '../api/text-encoding.ts';
import type { Rotation } from '../identity/keys/rotation.ts';
import type { Signer } from '../identity/tokens/signer.ts';
import type { SecurityNotices } from '../identity/users/security-notices.ts';
import { openTelemetry } from '../observe/telemetry/open-telemetry.ts';
import type { ViewRecorder } from '../sharing/views/view-recorder.ts';
import type { Database } from '../storage/schema/schema.ts';
import { closeOnFailure } from './close-on-failure.ts';
import { createModules } from './modules.ts';
import { type AppOptions, bootstrapFileOf } from './options.ts';
import { bindSockets } from './sockets.ts';
import { openStorage } from './storage.ts';
import { startTransports, type Transports } from './transports.ts';

export type { AppOptions } from './options.ts';

export type Service = {
  readonly publicUrl: string;
  /** `<host>:<port>` */
  readonly grpcAddress: string;
  readonly opsUrl: string;
  readonly bootstrapFile: string;
  readonly bootstrapped: boolean;
  /**
   * Reports for LATCHKEY_DRAIN_SECONDS that the service is not ready, while it serves all calls.
   * Then refuses new calls and lets running calls finish, for 9 seconds at most.
   */
  stop(): Promise<void>;
};

export type App = Service & {
  readonly operations: Pick<Transports, 'readiness' | 'metrics'>;
  readonly inside: {
    readonly db: Database;
    readonly signer: Signer;
    readonly rotation: Rotation;
    readonly views: Pick<ViewRecorder, 'flush'>;
    readonly deleteOldRows: () => Promise<void>;
    readonly responses: Pick<ResponseBudget, 'held'>;
    readonly securityNotices: Pick<SecurityNotices, 'settle'>;
  };
};

const finishMs = 9_000;

export function startApp(given: AppOptions): Promise<App> {
  useNodeTextEncoding();
  return closeOnFailure(async (onFailure) => {
    // Binds the ports first, so that a port in use fails before anything is written.
    const sockets = given.sockets ?? (await bindSockets(given.config));
    onFailure(sockets.close);
    const { log, env = {} } = given;
    const isWorker = given.sockets !== undefined;
    const telemetry = await openTelemetry({ log, env, isWorker });
    if (telemetry !== undefined) onFailure(telemetry.stop);
    const options = { ...given, telemetry };
    const storage = await openStorage(options);
    onFailure(storage.close);
    const modules = await createModules(options, sockets, storage);
    onFailure(modules.stop);
    const transports = await startTransports(options, { sockets, storage, modules });
    const { db } = storage;
    const { signer, rotation, securityNotices } = modules.identity;
    const { recorder: views } = modules.sharing;
    const { deleteOldRows, readiness, responses, metrics } = transports;
    return {
      ...sockets.urls,
      bootstrapFile: bootstrapFileOf(options),
      bootstrapped: storage.bootstrapped,
      operations: { readiness, metrics },
      inside: { db, signer, rotation, views, deleteOldRows, responses, securityNotices },
      async stop() {
        transports.announceStop();
        await sleep(options.config.drainSeconds * 1000);
        await transports.stop(finishMs);
        await Promise.all([telemetry?.stop(), modules.stop().then(storage.close)]);
      },
    };
  });
}
