// A worker: serves calls on the ports that it shares with the other workers of the node. The
// primary process starts it, asks it for reports and stops it.
import type { Server } from 'node:net';
import path from 'node:path';
import { readConfig } from '../../base/config/config.ts';
import { packageFolder } from '../../base/files/package.ts';
import { createLog } from '../../observe/log.ts';
import { type BoundSocket, backlog, listen } from '../../transports/socket.ts';
import { type App, startApp } from '../app.ts';
import type { Sockets } from '../sockets.ts';
import type { FromWorker, SharedSocket, StartMessage, ToWorker } from './messages.ts';

const send = (message: FromWorker) => void process.send?.(message);

export function runWorker(): Promise<number> {
  // Ctrl-C and systemd also send their signal to the workers. The primary decides when they stop.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  return new Promise((end) => {
    // The primary has ended without stopping the worker.
    process.once('disconnect', () => end(1));
    onMessage('ping', () => send({ type: 'pong' }));
    onMessage('start', (message) => void serve(message, end));
    send({ type: 'listening' });
  });
}

function onMessage<T extends ToWorker['type']>(
  type: T,
  listener: (message: Extract<ToWorker, { type: T }>) => void,
): void {
  process.on('message', (message: ToWorker) => {
    if (message.type === type) listener(message as Extract<ToWorker, { type: T }>);
  });
}

async function serve(start: StartMessage, end: (status: number) => void): Promise<void> {
  const config = readConfig(start.settings);
  const { log, flush, droppedLines } = createLog({
    level: config.logLevel,
    format: start.logFormat,
    fields: { pid: process.pid },
  });
  const crash = (text: string) => (err: unknown) => {
    log.fatal({ err }, text);
    void flush().then(() => end(1));
  };
  process.on('uncaughtException', crash('the worker ends'));
  process.on('unhandledRejection', crash('the worker ends'));
  function failStart(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const message: FromWorker = { type: 'failed', reason };
    process.send?.(message, undefined, undefined, () => crash('the worker cannot start')(error));
  }
  const webDir = path.join(packageFolder(), 'dist/web');
  const host = { http: config.http.host, grpc: config.grpc.host };
  const sockets: Sockets = {
    http: sharedSocket('http', { host: host.http, port: start.ports.http }),
    grpc: sharedSocket('grpc', { host: host.grpc, port: start.ports.grpc }),
    ops: undefined,
    urls: start.urls,
    close: async () => {},
  };
  const { env } = process;
  await startApp({ config, log, env, droppedLines, webDir, sockets }).then((app) => {
    onMessage(
      'stop',
      () =>
        void app
          .stop()
          .then(flush)
          .then(() => end(0), crash('cannot stop')),
    );
    onMessage('report', ({ id }) => void report(app, id));
    send({ type: 'ready' });
  }, failStart);
}

async function report({ operations }: App, id: number): Promise<void> {
  const [readiness, metrics] = await Promise.all([
    operations.readiness(),
    operations.metrics.collect(),
  ]);
  send({ type: 'report', id, report: { readiness, metrics } });
}

function sharedSocket(name: SharedSocket, bound: { host: string; port: number }): BoundSocket {
  const { host, port } = bound;
  return {
    port,
    address: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    async handTo(server: Server) {
      const released = new Promise<void>((resolve) => {
        onMessage('released', ({ socket }) => socket === name && resolve());
      });
      send({ type: 'release', socket: name });
      await released;
      await listen(server, () => server.listen({ host, port, backlog }));
    },
    close: async () => {},
  };
}
