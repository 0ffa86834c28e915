// The primary process of a node with several workers: prepares the storage, owns the operations
// port, and starts, replaces and stops the workers. It serves no calls.
import path from 'node:path';
import { useNodeTextEncoding } from '../../api/text-encoding.ts';
import type { Environment } from '../../base/config/secret-files.ts';
import type { OpenLog } from '../../observe/log.ts';
import { isVerifiedDomain } from '../../sharing/domains/store.ts';
import { startOpsServer } from '../../transports/ops-server.ts';
import { writeOwnAddresses } from '../addresses.ts';
import type { Service } from '../app.ts';
import { closeOnFailure } from '../close-on-failure.ts';
import { type AppOptions, bootstrapFileOf } from '../options.ts';
import { bindSockets } from '../sockets.ts';
import { openStorage } from '../storage.ts';
import type { SharedSocket } from './messages.ts';
import { WorkerPool } from './pool.ts';

export type PrimaryOptions = AppOptions & {
  readonly settings: Environment;
  readonly workers: number;
  readonly logFormat: 'json' | 'pretty';
  readonly workerHungMs?: number;
} & Pick<OpenLog, 'writeLines'>;

export function startPrimary(options: PrimaryOptions): Promise<Service> {
  useNodeTextEncoding();
  const { config, log, writeLines, droppedLines, webDir, workers: size } = options;
  const { settings, logFormat } = options;
  return closeOnFailure(async (onFailure) => {
    const sockets = await bindSockets(config);
    onFailure(sockets.close);
    // Creates the schema and the first rows before any worker starts.
    const storage = await openStorage(options);
    onFailure(storage.close);
    const { http, grpc, ops: opsSocket, urls } = sockets;
    const closing = new Map<SharedSocket, Promise<void>>();
    const workers = new WorkerPool({
      hungMs: options.workerHungMs,
      size,
      log,
      writeLines,
      droppedLines,
      // The program is next to the built browser code, even if the service runs from its sources.
      program: path.join(webDir, '../src/workers/program.js'),
      start: {
        type: 'start',
        settings,
        ports: { http: http.port, grpc: grpc.port },
        urls,
        logFormat,
      },
      release(name) {
        const closed = closing.get(name) ?? sockets[name].close();
        closing.set(name, closed);
        return closed;
      },
    });
    onFailure(() => workers.kill());
    await workers.start();
    await writeOwnAddresses(options, urls);
    const ops = await startOpsServer({
      socket: opsSocket,
      publicUrl: urls.publicUrl,
      readiness: () => workers.readiness(),
      isDomainVerified: (name) => isVerifiedDomain(storage.db, name),
      metrics: { contentType: workers.metricsType, read: () => workers.metrics() },
    });
    onFailure(ops.close);
    return {
      ...urls,
      bootstrapFile: bootstrapFileOf(options),
      bootstrapped: storage.bootstrapped,
      async stop() {
        ops.drain();
        await workers.stop();
        await ops.close();
        await storage.close();
      },
    };
  });
}
