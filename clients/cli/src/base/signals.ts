import { setTimeout } from 'node:timers/promises';
import type { CommandHost } from './command.ts';

export type Stopping = {
  readonly signal: AbortSignal;
  /** From now on, a signal ends the process. */
  end(): void;
};

/** Aborts with the reason when the process gets its first SIGINT or SIGTERM. */
export function abortOnSignal(host: CommandHost, reason: Error): Stopping {
  const controller = new AbortController();
  const names = ['SIGINT', 'SIGTERM'] as const;
  const onSignal = () => controller.abort(reason);
  const end = () => {
    for (const name of names) host.off(name, onSignal);
  };
  for (const name of names) host.on(name, onSignal);
  controller.signal.addEventListener('abort', end);
  return { signal: controller.signal, end };
}

/** Waits. Throws the reason of the signal as soon as it aborts. */
export async function pause(host: CommandHost, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await (host.pause ?? pauseWithTimer)(ms, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

const pauseWithTimer = (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, { signal });
