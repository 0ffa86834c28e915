// Runs the command that the arguments name, and returns its exit status.
import { ConfigError } from '../config/config.ts';
import { readVersion } from '../files/version.ts';
import { CommandError, type CommandHost, type Input, UsageError } from './base/command.ts';
import { exitStatuses } from './base/exit-status.ts';
import { cleanText, jsonText } from './base/text.ts';

const noInput: Input = { args: {}, options: {} };

export async function runProgram(words: readonly string[], host: CommandHost): Promise<number> {
  const [first = 'serve', ...others] = words;
  if (first === '--version' || first === '-V') {
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
  const parsed = parseWords(rootCommand, words);
  if (parsed.kind === 'help') {
    host.stdout.write(parsed.text);
    return 0;
  }
  if (parsed.kind === 'wrong') return report(new UsageError(parsed.message), host, parsed.usage);
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
  if (error instanceof UsageError) {
    stderr.write(error.message === '' ? '' : `${error.message}\n`);
    stderr.write(usage);
    return exitStatuses.usage.status;
  }
  if (error instanceof ConfigError) {
    const list = error.problems.map((problem) => `  ${problem}\n`).join('');
    stderr.write(`The settings are not valid:\n${list}`);
    return exitStatuses.usage.status;
  }
  if (!(error instanceof CommandError)) throw error;
  if (error.message === '') return error.status;
  const data = isJson && 'data' in error ? error.data : undefined;
  const lines = error.message.split('\n').map(cleanText);
  stderr.write(data === undefined ? `${lines.join('\n')}\n` : `${jsonText({ error: data })}\n`);
  return error.status;
}
