// The type of a command, the parts of the process that it uses, and the errors that it throws.
import type { Readable } from 'node:stream';
import { commandLineVariables } from '../variables.ts';
import { type ExitStatus, exitStatuses } from './exit-status.ts';

/** The parts of the process that commands use. Tests replace them. */
export type CommandHost = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly on: NodeJS.Process['on'];
  readonly off: NodeJS.Process['off'];
  /** Waits. Default: a timer. */
  readonly pause?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined;
};

/** The same process with another value of a variable. */
export function withVariable(host: CommandHost, name: string, value: string): CommandHost {
  return {
    env: { ...host.env, [name]: value },
    // Reading `process.stdin` opens it.
    get stdin() {
      return host.stdin;
    },
    stdout: host.stdout,
    stderr: host.stderr,
    on: host.on.bind(host),
    off: host.off.bind(host),
    pause: host.pause,
  };
}

/** The start of the commands that a message names. `npx` runs a program that is not on the PATH. */
export function programName({ env }: Pick<CommandHost, 'env'>): string {
  const program = env.npm_command === 'exec' ? 'npx latchkey' : 'latchkey';
  const profile = env[commandLineVariables.profile] ?? '';
  // Another value is refused, and could contain control characters.
  return /^[\w-]+$/.test(profile) ? `${program} --profile ${profile}` : program;
}

/** Makes the commands in a message begin like the command that the user ran. */
export const runnable = (text: string, host: Pick<CommandHost, 'env'>) =>
  text.replaceAll(/(?<=[Rr]un: |Help: |`)latchkey(?= )/g, programName(host));

export type Output = {
  /** Whether a person reads the output. */
  readonly isTTY?: boolean;
  /** The width of the terminal. */
  readonly columns?: number;
  readonly write: (data: string | Uint8Array, done?: (error?: Error | null) => void) => unknown;
  readonly on?: (event: 'error', listener: (error: Error) => void) => unknown;
};

/** A command, or a group of commands. Help, parsing, completion and docs/cli.md come from it. */
export type Command = {
  readonly name: string;
  /** A sentence that begins with a verb. */
  readonly about: string;
  /** More sentences for the help of the command. */
  readonly details?: string;
  readonly args?: readonly Argument[];
  readonly options?: readonly Option[];
  /** Command lines without the name of the program. */
  readonly examples?: readonly string[];
  /** The exit statuses with a special meaning, in addition to those of the table. */
  readonly statuses?: Readonly<Record<number, string>>;
  /** The exit status for wrong arguments, if 2 has another meaning. */
  readonly usageStatus?: number;
  readonly commands?: readonly Command[];
  /** The titles under which the help lists `commands`. */
  readonly groups?: readonly CommandGroup[];
  /** Loads the code of the command. A group has none. */
  readonly load?: () => Promise<Run>;
};

export type CommandGroup = {
  readonly title: string;
  readonly about: string;
  readonly commands: readonly Command[];
};

export type Argument = {
  readonly name: string;
  readonly about: string;
  readonly isOptional?: boolean;
  /** Whether it has one or more values. Only the last argument may be a list. */
  readonly isList?: boolean;
  /** The accepted values. */
  readonly values?: readonly string[];
  readonly isFile?: boolean;
};

export type Option = {
  /** Without the two dashes. */
  readonly name: string;
  /** One letter, which can be used with one dash. */
  readonly short?: string;
  readonly about: string;
  /** The name of the value. An option without one is a flag. */
  readonly value?: string;
  /** The accepted values. */
  readonly values?: readonly string[];
  /** Whether the option may be repeated, with one value each time. */
  readonly isList?: boolean;
  /** Whether the flag `--no-<name>` exists, too. */
  readonly isNegatable?: boolean;
  readonly isFile?: boolean;
};

/** The arguments and options of a call, by name. */
export type Input = {
  readonly args: Readonly<Record<string, string | undefined>>;
  /** The values of a list, after the first one, which is in `args`. */
  readonly more: readonly string[];
  readonly options: Readonly<Record<string, OptionValue | undefined>>;
};

export type OptionValue = string | boolean | readonly string[];

/**
 * Returns the exit status. Throws a UsageError for arguments that it does not accept, a
 * CommandError for a failure that it explains, and a ConfigError for invalid settings.
 */
export type Run = (input: Input, host: CommandHost) => Promise<number>;

/** A word that may come next in a command line, for the completion. */
export type Word = { readonly text: string; readonly about: string };

/** The option of every command that prints data. */
export const jsonOption: Option = { name: 'json', about: 'Prints JSON.' };

/** The arguments are wrong. With an empty message, only the usage text is shown. */
export class UsageError extends Error {}

/** The command failed. The message is one line for the terminal. */
export class CommandError extends Error {
  readonly status: number;

  constructor(what: string, cause?: unknown, status: ExitStatus = 'failed') {
    super(cause === undefined ? what : `${what}: ${errorMessageOf(cause)}`, { cause });
    this.status = exitStatuses[status].status;
  }
}

export function textOption({ options }: Input, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns the reason for a failure in one line. */
export function errorMessageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The cause explains to operators which store is wrong.
  const { cause } = error;
  if (cause instanceof Error && cause.name === 'WrongStore') return cause.message;
  const code = 'code' in error ? String(error.code) : error.name;
  return error.message === '' ? code : error.message.replace(/\s*\n\s*/g, ' ');
}
