// The type of a command, and the errors that it throws.
import type { Environment } from '../config/config.ts';
import { WrongStore } from '../sharing/blobs/store-id.ts';

/** The parts of the process that commands use. Tests replace them. */
export type CommandHost = {
  readonly env: Environment;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly on: NodeJS.Process['on'];
  readonly off: NodeJS.Process['off'];
};

export type Output = {
  /** Whether a person reads the output. */
  readonly isTTY?: boolean;
  readonly write: (data: string | Uint8Array, done?: (error?: Error | null) => void) => unknown;
  readonly on?: (event: 'error', listener: (error: Error) => void) => unknown;
};

export type Command = {
  /** The arguments, as shown in the help; empty if the command has none. */
  readonly usage: string;
  /** A description for the list of commands, without a subject. */
  readonly about: string;
  /** The rest of the command's help text. */
  readonly details: string;
  /**
   * Returns the exit status. Throws a UsageError for arguments that it does not accept, a
   * CommandError for a failure that it explains, and a ConfigError for invalid settings.
   */
  readonly run: (words: readonly string[], host: CommandHost) => Promise<number>;
};

/** The arguments are wrong. With an empty message, only the usage text is shown. */
export class UsageError extends Error {}

/** The command failed. The message is one line for the terminal. */
export class CommandError extends Error {
  constructor(what: string, cause: unknown) {
    super(`${what}: ${errorMessageOf(cause)}`, { cause });
  }
}

export function requireNoArguments(words: readonly string[]): void {
  const [word] = words;
  if (word !== undefined) throw new UsageError(`Unexpected argument "${word}".`);
}

/** Returns the reason for a failure in one line. */
export function errorMessageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof WrongStore) return error.cause.message;
  const code = 'code' in error ? String(error.code) : error.name;
  return error.message === '' ? code : error.message.replace(/\s*\n\s*/g, ' ');
}
