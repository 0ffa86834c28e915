// Prints the failures of commands.
import { CommandError, type CommandHost, runnable, UsageError } from './base/command.ts';
import { exitStatuses } from './base/exit-status.ts';
import { cleanText, jsonText } from './base/text.ts';

/** Prints an expected failure to stderr and returns its exit status. Rethrows any other error. */
export function reportError(error: unknown, host: CommandHost, usage = '', isJson = false): number {
  const { stderr } = host;
  if (isJson && (error instanceof UsageError || error instanceof CommandError)) {
    if (error.message !== '') stderr.write(`${jsonText({ error: dataOf(error) })}\n`);
    return statusOf(error);
  }
  if (error instanceof UsageError) {
    stderr.write(error.message === '' ? '' : `${runnable(error.message, host)}\n`);
    stderr.write(runnable(usage, host));
    return exitStatuses.usage.status;
  }
  if (!(error instanceof CommandError)) throw error;
  if (error.message === '') return error.status;
  stderr.write(`${runnable(cleanLines(error.message), host)}\n`);
  return error.status;
}

const cleanLines = (text: string) => text.split('\n').map(cleanText).join('\n');

const statusOf = (error: UsageError | CommandError) =>
  error instanceof CommandError ? error.status : exitStatuses.usage.status;

/** The members of the server's error, or those that a failure without a server has. */
function dataOf(error: UsageError | CommandError): unknown {
  if ('data' in error) return error.data;
  const status = statusOf(error);
  const found = Object.entries(exitStatuses).find(([, known]) => known.status === status);
  return { code: found?.[0] ?? 'failed', message: cleanLines(error.message), errors: [] };
}
