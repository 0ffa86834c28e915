// Runs the command that the arguments name, and returns its exit status.
import { CommandError, type CommandHost } from '../../clients/cli/src/base/command.ts';
import { reportError } from '../../clients/cli/src/report.ts';
import { ConfigError } from '../base/config/config.ts';
import { readVersion } from '../base/files/package.ts';

export async function runProgram(words: readonly string[], host: CommandHost): Promise<number> {
  // The service starts without the parser and the other commands.
  if (words.length === 1 && words[0] === 'serve') {
    const { runServe } = await import('./serve.ts');
    const input = { args: {}, more: [], options: {} };
    return runServe(input, host).catch((error: unknown) => reportError(explain(error), host));
  }
  const { runWords } = await import('../../clients/cli/src/program.ts');
  const { rootCommand } = await import('./commands.ts');
  return runWords(words, host, { root: rootCommand, version: readVersion(), explain });
}

function explain(error: unknown): unknown {
  if (!(error instanceof ConfigError)) return error;
  const problems = error.problems.map((problem) => `\n  ${problem}`).join('');
  return new CommandError(`The settings are not valid:${problems}`, undefined, 'usage');
}
