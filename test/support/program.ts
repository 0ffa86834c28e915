// The program in a separate folder: the built one as a process, or a command in the process of the
// test.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { CommandHost, Output } from '../../clients/cli/src/base/command.ts';
import { runProgram } from '../../src/cli/program.ts';
import { parseEnv } from './harness.ts';

export type Program = {
  readonly child: ChildProcess;
  readonly dataDir: string;
  /** All output so far. */
  stdout(): string;
  stderr(): string;
  /** The exit code, or the signal that ended it, once it has ended. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Kills the program, as the kernel or a power cut would. */
  kill(): Promise<void>;
  /** Kills the program and removes its folder. */
  remove(): Promise<void>;
};

/** An undefined value removes a default of the tests. */
export type ProgramEnv = Record<string, string | undefined>;

export type RunningProgram = Program & {
  readonly env: ReturnType<typeof parseEnv>;
  readonly httpPort: number;
  /** The URL of the server, without a path. */
  readonly origin: string;
};

/** The name of the sample document in a new demo installation. */
export const sampleName = 'Sample document.pdf';

export const programFolder = path.resolve(import.meta.dirname, '../..');

export const builtProgram = path.join(programFolder, 'dist/src/main.js');

export function newDataDir(): Promise<string> {
  return mkdtemp(path.join(tmpdir(), 'latchkey-program-'));
}

const settingsFor = (folder: string) => ({
  PATH: process.env.PATH ?? '',
  LATCHKEY_DATA_DIR: folder,
  LATCHKEY_HTTP_ADDRESS: '127.0.0.1:0',
  LATCHKEY_GRPC_ADDRESS: '127.0.0.1:0',
  LATCHKEY_OPS_ADDRESS: '127.0.0.1:0',
  LATCHKEY_DRAIN_SECONDS: '0',
  LATCHKEY_OFFICE_COMMAND: '',
});

export type Ran = {
  readonly status: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
};

/** Runs a command in the process of the test. */
export async function runCommand(
  words: readonly string[],
  env: ProgramEnv,
  input: string | Uint8Array = '',
): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const outputTo = (name: keyof typeof written): Output => ({
    write(data, done) {
      written[name] += Buffer.from(data).toString();
      done?.();
    },
  });
  const host: CommandHost = {
    env,
    stdin: Readable.from([Buffer.from(input)]),
    stdout: outputTo('stdout'),
    stderr: outputTo('stderr'),
    on: process.on.bind(process),
    off: process.off.bind(process),
  };
  const status = await runProgram(words, host);
  return { status, ...written };
}

/** Runs a command of an installation in the process of the test. */
export const runIn = (dataDir: string, words: readonly string[], env: ProgramEnv = {}) =>
  runCommand(words, { ...settingsFor(dataDir), ...env });

/**
 * Starts the program; every address uses a free port unless `env` says otherwise. `launcher` is a
 * command that runs the program as its argument.
 */
export async function spawnProgram(
  env: ProgramEnv = {},
  dataDir?: string,
  words: readonly string[] = ['serve'],
  launcher: readonly string[] = [],
  file = builtProgram,
): Promise<Program> {
  const folder = dataDir ?? (await newDataDir());
  const program = [process.execPath, file, ...words];
  const [command = process.execPath, ...args] = [...launcher, ...program];
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...settingsFor(folder), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  async function kill(): Promise<void> {
    child.kill('SIGKILL');
    await ended;
  }
  return {
    child,
    dataDir: folder,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    ended,
    kill,
    async remove() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts the program and waits until it answers. */
export async function startProgram(
  env: Record<string, string> = {},
  dataDir?: string,
  launcher: readonly string[] = [],
): Promise<RunningProgram> {
  const program = await spawnProgram(env, dataDir, undefined, launcher);
  await new Promise<void>((resolve, reject) => {
    program.child.stderr?.on('data', () => {
      if (program.stderr().includes('operations')) resolve();
    });
    program.ended.then((end) =>
      reject(new Error(`the program ended (${end}): ${program.stderr()}`)),
    );
  });
  const file = path.join(program.dataDir, 'bootstrap.env');
  const read = parseEnv(await readFile(file, 'utf8'));
  const { origin, port } = new URL(read.LATCHKEY_BASE_URL);
  return { ...program, env: read, httpPort: Number(port), origin };
}

export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Returns the resident memory in MiB. */
export function residentMbOf(pid: number): number {
  const [, kilobytes] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

/** Returns the processor time of all threads so far in seconds. */
export function processorSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // proc(5): the name, which may contain spaces, ends with the last bracket. utime and stime are
  // the fields 14 and 15, in clock ticks of 10 ms.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
