// `serve`: runs the service until it gets a signal.
import { availableParallelism } from 'node:os';
import path from 'node:path';
import {
  type CommandHost,
  errorMessageOf,
  type Input,
} from '../../clients/cli/src/base/command.ts';
import { type Config, readSettings } from '../base/config/config.ts';
import { packageFolder } from '../base/files/package.ts';
import { ListenError } from '../base/net/listen-error.ts';
import type { Service } from '../boot/app.ts';
import { keepMessagesYoung } from '../boot/heap.ts';
import type { AppOptions } from '../boot/options.ts';
import { createLog, type OpenLog } from '../observe/log.ts';
import { formatAnnouncement } from './announcement.ts';

/** A stop that is slower after the drain is a failure. */
const stopMs = 10_000;
/** A second signal within this time is the same Ctrl-C, forwarded by npm. */
const sameSignalMs = 250;

export async function runServe(_input: Input, host: CommandHost): Promise<number> {
  keepMessagesYoung();
  const { config, resolved: settings } = readSettings(host.env);
  // Imported here, so that the other commands, which do not need the service, start twice as
  // fast.
  const workers = config.workers === 0 ? availableParallelism() : config.workers;
  const logFormat = config.logFormat ?? (host.stdout.isTTY === true ? 'pretty' : 'json');
  if (workers === 1) {
    const { startApp } = await import('../boot/app.ts');
    return runService({ config, host, logFormat, start: startApp });
  }
  const { startPrimary } = await import('../boot/workers/primary.ts');
  const start: Start = (options) => startPrimary({ ...options, settings, workers, logFormat });
  return runService({ config, host, logFormat, logFields: { pid: process.pid }, start });
}

type Start = (options: AppOptions & Pick<OpenLog, 'writeLines'>) => Promise<Service>;

type Run = {
  readonly config: Config;
  readonly host: CommandHost;
  readonly logFormat: 'json' | 'pretty';
  readonly logFields?: Readonly<Record<string, unknown>>;
  readonly start: Start;
};

function runService({ config, host, logFormat: format, logFields, start }: Run): Promise<number> {
  const isTerminal = host.stderr.isTTY === true;
  const { log, writeLines, flush, droppedLines } = createLog({
    level: config.logLevel,
    format,
    ...(logFields === undefined ? {} : { fields: logFields }),
  });
  const built = path.join(packageFolder(), 'dist');

  return new Promise((end) => {
    async function fail(what: string, error: unknown): Promise<void> {
      await flush();
      host.stderr.write(`${what}: ${errorMessageOf(error)}\n`);
      end(1);
    }
    function failStart(error: unknown): Promise<void> {
      // On a terminal, the message on standard error is enough.
      const facts = error instanceof ListenError ? { reason: error.message } : { err: error };
      if (format === 'json') log.fatal(facts, 'the service cannot start');
      return fail('Latchkey cannot start', error);
    }
    function crash(error: unknown): void {
      log.fatal({ err: error }, 'the process ends');
      void fail('Latchkey ends', error);
    }
    async function started(app: Service): Promise<void> {
      const { bootstrap } = config;
      const text = await formatAnnouncement(app, { isTerminal, bootstrap });
      const stop = () =>
        app
          .stop()
          .then(() => {
            log.info('the service has stopped');
            return flush();
          })
          .then(() => end(0), crash);
      stopOnSignal(host, { isTerminal, drainMs: config.drainSeconds * 1000, stop, end });
      // Writes the text last, because its reader may stop the service at once.
      host.stderr.write(text);
    }
    // The service continues if it cannot write this text, for example to a full disk.
    host.stderr.on?.('error', () => {});
    host.on('uncaughtException', crash);
    host.on('unhandledRejection', crash);
    const files = {
      webDir: path.join(built, 'web'),
      sampleFile: path.join(built, 'sample.pdf'),
    };
    const { env } = host;
    start({ config, log, env, writeLines, droppedLines, ...files }).then(started, failStart);
  });
}

type Stopping = {
  readonly isTerminal: boolean;
  readonly drainMs: number;
  readonly stop: () => Promise<void>;
  readonly end: (status: number) => void;
};

export function stopOnSignal(host: CommandHost, stopping: Stopping): void {
  const { isTerminal, drainMs, stop, end } = stopping;
  let isStopping = false;
  const signals = ['SIGTERM', 'SIGINT'] as const;
  function onSignal(): void {
    if (isStopping) return;
    isStopping = true;
    if (isTerminal) host.stderr.write('Stopping… Press Ctrl-C again to stop at once.\n');
    // After that, a signal ends the process immediately.
    setTimeout(() => {
      for (const signal of signals) host.off(signal, onSignal);
    }, sameSignalMs).unref();
    setTimeout(() => end(1), drainMs + stopMs).unref();
    void stop();
  }
  for (const signal of signals) host.on(signal, onSignal);
}
