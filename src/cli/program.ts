// Runs the command that the arguments name, and returns its exit status.
import { ConfigError } from '../config/config.ts';
import { readVersion } from '../files/version.ts';
import {
  CommandError,
  type CommandHost,
  type Input,
  programName,
  UsageError,
} from './base/command.ts';
import { exitStatuses } from './base/exit-status.ts';
import { cleanText, jsonText } from './base/text.ts';

const noInput: Input = { args: {}, options: {} };

const versionWords: ReadonlySet<string> = new Set(['version', '--version', '-v', '-V']);

export async function runProgram(words: readonly string[], host: CommandHost): Promise<number> {
  const [first, ...others] = words;
  if (first !== undefined && versionWords.has(first)) {
    host.stdout.write(`latchkey ${readVersion()}\n`);
    return 0;
  }
  // The service starts without the parser and the other commands.
  if (first === 'serve' && others.length === 0) {
    const { runServe } = await import('./serve.ts');
    return runServe(noInput, host).catch((error: unknown) => report(error, host));
  }
  const { parseWords } = await import('./base/parser.ts');
  const { rootCommand } = await import('./commands.ts');
  const parsed = parseWords(rootCommand, first === undefined ? ['help'] : words);
  if (parsed.kind === 'help') {
    host.stdout.write(parsed.text);
    return 0;
  }
  if (parsed.kind === 'wrong') {
    const wrong = new UsageError(parsed.message);
    return report(wrong, host, parsed.usage, words.includes('--json'));
  }
  const { command, input, usage } = parsed;
  // A failed write also rejects, or it is of no interest.
  host.stdout.on?.('error', () => {});
  host.stderr.on?.('error', () => {});
  // The parser refuses a group without a command.
  const run = await command.load?.();
  try {
    return (await run?.(input, host)) ?? exitStatuses.usage.status;
  } catch (error) {
    return report(error, host, usage, input.options.json === true);
  }
}

/** Prints an expected failure to stderr and returns its exit status. Rethrows any other error. */
function report(error: unknown, host: CommandHost, usage = '', isJson = false): number {
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
  if (error instanceof ConfigError) {
    const list = error.problems.map((problem) => `  ${problem}\n`).join('');
    stderr.write(`The settings are not valid:\n${list}`);
    return exitStatuses.usage.status;
  }
  if (!(error instanceof CommandError)) throw error;
  if (error.message === '') return error.status;
  stderr.write(`${runnable(cleanLines(error.message), host)}\n`);
  return error.status;
}

const cleanLines = (text: string) => text.split('\n').map(cleanText).join('\n');

/** Makes the commands in a message begin like the command that the user ran. */
const runnable = (text: string, host: CommandHost) =>
  text.replaceAll(/(?<=[Rr]un: |Help: |`)latchkey(?= )/g, programName(host));

const statusOf = (error: UsageError | CommandError) =>
  error instanceof CommandError ? error.status : exitStatuses.usage.status;

/** The members of the server's error, or those that a failure without a server has. */
function dataOf(error: UsageError | CommandError): unknown {
  if ('data' in error) return error.data;
  const status = statusOf(error);
  const found = Object.entries(exitStatuses).find(([, known]) => known.status === status);
  return { code: found?.[0] ?? 'failed', message: cleanLines(error.message), errors: [] };
}
