import { setTimeout } from 'node:timers/promises';
import { CommandError, type CommandHost } from './command.ts';

type Stopping = {
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

/** Does the work of a command. Its signal aborts when the user interrupts the command. */
export async function untilInterrupted<T>(
  host: CommandHost,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, end } = abortOnSignal(
    host,
    new CommandError('Interrupted.', undefined, 'interrupted'),
  );
  try {
    return await work(signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    end();
  }
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
