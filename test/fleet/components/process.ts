// A server process that ends with the test run, also if the run is killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { identity } from '../../support/postgres-files.ts';

/** Runs a command that the kernel kills when this process ends. */
export const endsWithRun: readonly string[] = ['setpriv', '--pdeathsig', 'KILL', '--'];

export type ServerProcess = {
  /** The last output. */
  output(): string;
  isRunning(): boolean;
  /** Starts the process, unless it runs. */
  start(): void;
  /** Sends a signal without waiting. */
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<void>;
};

type ServerCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env?: Record<string, string>;
  /** For programs that refuse to run as root. */
  readonly isUnprivileged?: boolean;
};

export function serverProcess(options: ServerCommand): ServerProcess {
  const { command, args, folder, env = {}, isUnprivileged = false } = options;
  const [setpriv = '', ...words] = endsWithRun.slice(0, -1);
  const user =
    isUnprivileged && identity.uid !== undefined
      ? ['--reuid', `${identity.uid}`, '--regid', `${identity.gid}`, '--clear-groups']
      : [];
  let child: ChildProcess | undefined;
  let output = '';
  const isRunning = () =>
    child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    output: () => output,
    isRunning,
    start() {
      if (isRunning()) return;
      child = spawn(setpriv, [...words, ...user, '--', command, ...args], {
        cwd: folder,
        env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin`, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding('utf8').on('data', (text: string) => {
          output = (output + text).slice(-20_000);
        });
      }
    },
    signal: (signal) => void child?.kill(signal),
    async end(signal) {
      if (child === undefined || !isRunning()) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}

/** Waits until `check` returns true; an error counts as false. */
export async function waitFor(
  what: string,
  check: () => unknown,
  { seconds = 30, pauseMs = 20 } = {},
): Promise<void> {
  const until = performance.now() + seconds * 1000;
  let last: unknown;
  for (;;) {
    try {
      if ((await check()) === true) return;
    } catch (error) {
      last = error;
    }
    if (performance.now() > until) {
      throw new Error(`${what}: not within ${seconds} s`, { cause: last });
    }
    await sleep(pauseMs);
  }
}
