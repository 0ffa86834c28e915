// The Idempotency-Key of a command that creates something.
import { createHash, randomUUID } from 'node:crypto';
import {
  CommandError,
  type CommandHost,
  type Input,
  textOption,
  UsageError,
} from '../base/command.ts';
import { exitStatuses } from '../base/exit-status.ts';
import { wantsJson } from '../base/print.ts';

type KeyHeader = { readonly 'idempotency-key': string };

/** The header of a call with the key. */
export const keyHeader = (key: string): KeyHeader => ({ 'idempotency-key': key });

/** Another key, for the second call of a command. The server binds a key to one call. */
export const nextKey = (key: string) => createHash('sha256').update(key).digest('hex');

/** Runs the calls of a command with the key of the option, or with a new one. */
export async function withKey<T>(
  input: Input,
  { stderr }: CommandHost,
  work: (key: string) => Promise<T>,
): Promise<T> {
  const key = textOption(input, 'idempotency-key') ?? randomUUID();
  if (!/^[ -~]{1,128}$/.test(key)) {
    throw new UsageError('An idempotency key has 1 to 128 printable ASCII characters.');
  }
  try {
    return await work(key);
  } catch (error) {
    const isLost =
      error instanceof CommandError && error.status === exitStatuses.unavailable.status;
    // The server may have done it. With --json, the standard error output is only JSON.
    if (isLost && !wantsJson(input)) {
      stderr.write(`To repeat the command without a second effect: --idempotency-key ${key}\n`);
    }
    throw error;
  }
}
