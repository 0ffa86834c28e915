// The table of commands, and the program that runs them.
import { ConfigError } from '../config/config.ts';
import { backupCommand } from './backup.ts';
import { type Command, CommandError, type CommandHost, UsageError } from './command.ts';
import { doctorCommand } from './doctor.ts';
import { migrateCommand } from './migrate.ts';
import { recoverStaffCommand } from './recover-staff.ts';
import { restoreCommand } from './restore.ts';
import { rotateMasterKeyCommand } from './rotate-master-key.ts';
import { serveCommand } from './serve.ts';
import { readVersion } from './version.ts';

const commands: Readonly<Record<string, Command>> = {
  serve: serveCommand,
  migrate: migrateCommand,
  doctor: doctorCommand,
  'rotate-master-key': rotateMasterKeyCommand,
  'recover-staff': recoverStaffCommand,
  backup: backupCommand,
  restore: restoreCommand,
};

const usageStatus = 2;

/** How the documentation starts the program. */
const program = 'node dist/src/main.js';

/** Runs the command named by the arguments and returns the exit status. */
export async function runProgram(words: readonly string[], host: CommandHost): Promise<number> {
  const [first = 'serve', ...others] = words;
  if (isHelp(first)) return print(host, helpText(others[0]));
  if (first === '--version' || first === '-V') return print(host, `latchkey ${readVersion()}\n`);
  try {
    const command = commandOf(first);
    if (others.some((word) => word === '--help' || word === '-h')) {
      return print(host, commandHelp(first, command));
    }
    return await command.run(others, host);
  } catch (error) {
    return report(error, first, host);
  }
}

function isHelp(word: string): boolean {
  return word === 'help' || word === '--help' || word === '-h';
}

function print({ stdout }: CommandHost, text: string): number {
  stdout.write(text);
  return 0;
}

function commandOf(name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const kind = name.startsWith('-') ? 'option' : 'command';
    throw new UsageError(`There is no ${kind} "${name}".`);
  }
  return command;
}

/** Prints an expected failure to stderr and returns its exit status. Rethrows any other error. */
function report(error: unknown, name: string, { stderr }: CommandHost): number {
  if (error instanceof UsageError) {
    stderr.write(error.message === '' ? '' : `${error.message}\n`);
    stderr.write(Object.hasOwn(commands, name) ? usageOf(name) : usageText());
    return usageStatus;
  }
  if (error instanceof ConfigError) {
    const list = error.problems.map((problem) => `  ${problem}\n`).join('');
    stderr.write(`The settings are not valid:\n${list}`);
    return usageStatus;
  }
  if (!(error instanceof CommandError)) throw error;
  stderr.write(`${error.message}\n`);
  return 1;
}

function helpText(name: string | undefined): string {
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  return name === undefined || command === undefined ? usageText() : commandHelp(name, command);
}

function usageText(): string {
  const lines = Object.entries(commands).map(
    ([name, { usage, about }]) => `  ${`${name} ${usage}`.padEnd(28)} ${about}\n`,
  );
  return (
    `Usage: ${program} [<command>]\n${lines.join('')}` +
    `\n${program} <command> --help   explains a command\n` +
    `${program} --version          prints the version\n` +
    '\nSettings come from the environment: see docs/settings.md.\n'
  );
}

function usageOf(name: string): string {
  return `Usage: ${`${program} ${name} ${commands[name]?.usage}`.trim()}\n`;
}

function commandHelp(name: string, { about, details }: Command): string {
  const sentence = `${about.charAt(0).toUpperCase()}${about.slice(1)}.`;
  return `${usageOf(name)}\n${sentence}\n\n${details}\n`;
}
