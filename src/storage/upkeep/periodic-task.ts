import { createFirstError } from '../../base/limits/first-error.ts';
import type { Lease } from './leases.ts';

export type PeriodicTask = {
  stop(): Promise<void>;
};

export type PeriodicTaskOptions = {
  /** The pause between the end of a round and the start of the next, in milliseconds. */
  readonly pauseMs: number;
  readonly round: (signal: AbortSignal) => Promise<void>;
  readonly onError: (error: unknown) => void;
  /** Whether `onError` is called only with the first of several errors in a row. */
  readonly reportsFirst?: boolean;
  /** If given, rounds run only in the process that holds the lease. */
  readonly lease?: Lease | undefined;
};

/** Runs a round at once and then repeatedly. An error ends only the current round. */
export function startPeriodicTask(given: PeriodicTaskOptions): PeriodicTask {
  const options = given.reportsFirst ? reportingFirst(given) : given;
  const { lease } = options;
  const controller = new AbortController();
  const { signal } = controller;
  const rounds = lease === undefined ? repeat(options, signal) : alternate(options, lease, signal);
  return {
    async stop() {
      controller.abort();
      await rounds;
    },
  };
}

function reportingFirst({ round, onError, ...others }: PeriodicTaskOptions): PeriodicTaskOptions {
  const { fail, succeed } = createFirstError(onError);
  return { ...others, round: (signal) => round(signal).then(succeed), onError: fail };
}

async function repeat(options: PeriodicTaskOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await runRound(options, signal);
    await pause(options.pauseMs, signal);
  }
}

/** After an error, the lease is released, so that another process tries. */
async function alternate(
  options: PeriodicTaskOptions,
  lease: Lease,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    const held = await lease.acquire(stopping);
    if (held === undefined) return;
    const signal = AbortSignal.any([stopping, held.signal]);
    let isDone = true;
    while (isDone && !signal.aborted) {
      isDone = await runRound(options, signal);
      if (isDone) await pause(options.pauseMs, signal);
    }
    await held.release();
    if (!isDone) await pause(options.pauseMs, stopping);
  }
}

function runRound({ round, onError }: PeriodicTaskOptions, signal: AbortSignal): Promise<boolean> {
  return round(signal).then(
    () => true,
    (error: unknown) => {
      onError(error);
      return false;
    },
  );
}

/** With the global timer, which tests replace. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms).unref();
    signal.addEventListener('abort', end);
  });
}
