// The table of commands, and the program that runs them.
import { ConfigError } from '../config/config.ts';
import { type Command, CommandError, type CommandHost, UsageError } from './command.ts';
import { readVersion } from './version.ts';

/** Each command with its packages is loaded only if it is needed. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  'rotate-master-key': async () => (await import('./rotate-master-key.ts')).rotateMasterKeyCommand,
  'recover-staff': async () => (await import('./recover-staff.ts')).recoverStaffCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./restore.ts')).restoreCommand,
};

const usageStatus = 2;

/** How the documentation starts the program. */
const program = 'node dist/src/main.js';

/** Runs the command named by the arguments and returns the exit status. */
export async function runProgram(words: readonly string[], host: CommandHost): Promise<number> {
  const [first = 'serve', ...others] = words;
  if (isHelp(first)) return print(host, await helpText(others[0]));
  if (first === '--version' || first === '-V') return print(host, `latchkey ${readVersion()}\n`);
  try {
    const command = await commandOf(first);
    if (others.some((word) => word === '--help' || word === '-h')) {
      return print(host, commandHelp(first, command));
    }
    return await command.run(others, host);
  } catch (error) {
    return await report(error, first, host);
  }
}

function isHelp(word: string): boolean {
  return word === 'help' || word === '--help' || word === '-h';
}

function print({ stdout }: CommandHost, text: string): number {
  stdout.write(text);
  return 0;
}

async function commandOf(name: string): Promise<Command> {
  const command = await findCommand(name);
  if (command === undefined) {
    const kind = name.startsWith('-') ? 'option' : 'command';
    throw new UsageError(`There is no ${kind} "${name}".`);
  }
  return command;
}

async function findCommand(name: string): Promise<Command | undefined> {
  return Object.hasOwn(commands, name) ? commands[name]?.() : undefined;
}

/** Prints an expected failure to stderr and returns its exit status. Rethrows any other error. */
async function report(error: unknown, name: string, { stderr }: CommandHost): Promise<number> {
  if (error instanceof UsageError) {
    stderr.write(error.message === '' ? '' : `${error.message}\n`);
    const command = await findCommand(name);
    stderr.write(command === undefined ? await usageText() : usageOf(name, command));
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

async function helpText(name = ''): Promise<string> {
  const command = await findCommand(name);
  return command === undefined ? usageText() : commandHelp(name, command);
}

async function usageText(): Promise<string> {
  const lines = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => {
      const { usage, about } = await load();
      return `  ${`${name} ${usage}`.padEnd(28)} ${about}\n`;
    }),
  );
  return (
    `Usage: ${program} [<command>]\n${lines.join('')}` +
    `\n${program} <command> --help   explains a command\n` +
    `${program} --version          prints the version\n` +
    '\nSettings come from the environment: see docs/settings.md.\n'
  );
}

function usageOf(name: string, { usage }: Command): string {
  return `Usage: ${`${program} ${name} ${usage}`.trim()}\n`;
}

function commandHelp(name: string, command: Command): string {
  const { about, details } = command;
  const sentence = `${about.charAt(0).toUpperCase()}${about.slice(1)}.`;
  return `${usageOf(name, command)}\n${sentence}\n\n${details}\n`;
}
