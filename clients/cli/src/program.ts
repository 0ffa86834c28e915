// Runs the command that the arguments name, and returns its exit status.
import {
  type Command,
  type CommandHost,
  textOption,
  UsageError,
  withVariable,
} from './base/command.ts';
import { exitStatuses } from './base/exit-status.ts';
import { parseWords } from './base/parser.ts';
import { profileOption } from './commands.ts';
import { reportError } from './report.ts';
import { commandLineVariables as variables } from './variables.ts';

const versionWords: ReadonlySet<string> = new Set(['version', '--version', '-v', '-V']);

export type Program = {
  readonly root: Command;
  readonly version: string;
  /** Returns a CommandError for an error of the commands that is expected. */
  readonly explain?: (error: unknown) => unknown;
};

export async function runWords(
  words: readonly string[],
  host: CommandHost,
  { root, version, explain = (error) => error }: Program,
): Promise<number> {
  const [first] = words;
  if (first !== undefined && versionWords.has(first)) {
    host.stdout.write(`latchkey ${version}\n`);
    return 0;
  }
  const parsed = parseWords(root, first === undefined ? ['help'] : words);
  if (parsed.kind === 'help') {
    host.stdout.write(parsed.text);
    return 0;
  }
  if (parsed.kind === 'wrong') {
    const wrong = new UsageError(parsed.message);
    const status = reportError(wrong, host, parsed.usage, words.includes('--json'));
    return parsed.status ?? status;
  }
  const { command, input, usage } = parsed;
  // A failed write also rejects, or it is of no interest.
  host.stdout.on?.('error', () => {});
  host.stderr.on?.('error', () => {});
  // The parser refuses a group without a command.
  const run = await command.load?.();
  const profile = textOption(input, profileOption.name);
  const place = profile === undefined ? host : withVariable(host, variables.profile, profile);
  try {
    return (await run?.(input, place)) ?? exitStatuses.usage.status;
  } catch (error) {
    return reportError(explain(error), place, usage, input.options.json === true);
  }
}
