// The files that arguments name.
import { CommandError } from './command.ts';

/** Explains why a file cannot be read. */
export function unreadable(file: string, error: unknown): CommandError {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return isMissing
    ? new CommandError(`${file}: there is no such file.`, undefined, 'missing')
    : new CommandError('The file cannot be read', error, 'missing');
}
