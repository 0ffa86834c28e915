// Runs commands against a server, each with its own home folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Config } from '../../src/base/config/config.ts';
import { startTestApp } from './harness.ts';
import {
  builtProgram,
  programFolder,
  type Ran,
  type RunningProgram,
  runCommand,
} from './program.ts';

export type Shell = {
  readonly home: string;
  readonly env: Record<string, string>;
  /** Runs a command in the process of the test. */
  run(words: readonly string[], input?: string | Uint8Array): Promise<Ran>;
  /** Starts a command as a process whose standard input stays open. */
  start(words: readonly string[]): Started;
  /** Runs a command on a pseudo terminal. Answers each prompt as soon as it is shown. */
  runOnTerminal(
    words: readonly string[],
    answers?: readonly (readonly [prompt: string, answer: string])[],
    columns?: number,
  ): Promise<{ readonly status: number | NodeJS.Signals; readonly text: string }>;
};

type Started = ReturnType<typeof startProcess>;

/** A server in the process of the test, which takes a tenth of the time of the program. */
export async function startServer(config: Partial<Config> = {}) {
  const test = await startTestApp({ config });
  return { ...test, origin: new URL(test.app.publicUrl).origin };
}

/** Creates a home folder without a profile. It is removed when the test ends. */
export async function openShell(env: Record<string, string> = {}): Promise<Shell> {
  const home = await mkdtemp(path.join(tmpdir(), 'latchkey-cli-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const full = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, 'config'),
    TERM: 'xterm',
    ...env,
  };
  const start = (words: readonly string[]) =>
    startProcess(process.execPath, [builtProgram, ...words], home, full);
  return {
    home,
    env: full,
    start,
    async run(words, input) {
      // Files are named relative to the home folder.
      process.chdir(home);
      return runCommand(words, full, input).finally(() => process.chdir(programFolder));
    },
    async runOnTerminal(words, answers = [], columns = 80) {
      const quoted = [process.execPath, builtProgram, ...words].map((word) => `'${word}'`);
      const line = `stty cols ${columns}; exec ${quoted.join(' ')}`;
      const started = startProcess('script', ['-qefc', line, '/dev/null'], home, full);
      const rest = [...answers];
      let from = 0;
      started.child.stdout.on('data', () => {
        const [prompt, answer] = rest[0] ?? [];
        if (prompt === undefined || answer === undefined) return;
        const at = started.stdout().indexOf(prompt, from);
        if (at === -1) return;
        from = at + prompt.length;
        rest.shift();
        started.child.stdin.write(answer);
      });
      const { status, stdout } = await started.ended;
      return { status, text: stdout.replaceAll('\r\n', '\n') };
    },
  };
}

/** Opens a shell with the API key of the program's workspace. */
export const openWorkspaceShell = ({ origin, env }: Pick<RunningProgram, 'env' | 'origin'>) =>
  openShell({ LATCHKEY_BASE_URL: origin, LATCHKEY_API_KEY: env.API_KEY });

/** Opens a shell in which the staff user of the program is signed in. `words`: more options. */
export async function openStaffShell(
  { env }: Pick<RunningProgram, 'env'>,
  ...words: readonly string[]
): Promise<Shell> {
  const shell = await openShell({ LATCHKEY_BASE_URL: new URL(env.LATCHKEY_BASE_URL).origin });
  const login = ['login', '--email', env.STAFF_EMAIL, '--password-stdin', ...words];
  expect(await shell.run(login, env.STAFF_PASSWORD)).toMatchObject({ status: 0 });
  return shell;
}

function startProcess(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
) {
  const child = spawn(command, args, { cwd, env, stdio: 'pipe' });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
    });
  }
  const ended = once(child, 'close').then(([code, signal]): Ran => {
    return { status: code ?? signal, ...text };
  });
  return { child, ended, stdout: () => text.stdout };
}

/** The tab-separated lines of an object, by name. */
export function valuesOf({ stdout }: Ran): Record<string, string> {
  const lines = stdout.trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => line.split('\t') as [string, string]));
}
