// The help texts, which docs/cli.md repeats.
import type { Argument, Command, Option } from './command.ts';
import { exitStatuses } from './exit-status.ts';

const width = 90;

/** How a command is called, without its options. */
export function usageTextOf(path: readonly Command[]): string {
  const command = path[path.length - 1];
  const names = path.map(({ name }) => name);
  const args = (command?.args ?? []).map(argumentText);
  if (command?.commands !== undefined) args.push('<command>');
  if ((command?.options ?? []).length > 0) args.push('[options]');
  return [...names, ...args].join(' ');
}

/** `-` is written as it is. Any other name stands for a value. */
export function argumentText({ name, isOptional, isList }: Argument): string {
  if (name === '-') return '[-]';
  return isOptional ? `[<${name}>]` : `<${name}>${isList ? '…' : ''}`;
}

export function optionText({ name, short, value, isNegatable }: Option): string {
  if (short !== undefined)
    return `-${short}, ${optionText({ name, about: '', ...(value ? { value } : {}) })}`;
  if (value !== undefined) return `--${name} <${value}>`;
  return isNegatable ? `--[no-]${name}` : `--${name}`;
}

/** Explains an argument or option, with its accepted values. */
export function aboutText({ about, values, isList }: Pick<Option, 'about' | 'values' | 'isList'>) {
  const choice = values === undefined ? '' : ` One of: ${values.join(', ')}.`;
  return `${about}${choice}${isList ? ' May be repeated.' : ''}`;
}

/** The first lines of the help, shown after wrong arguments. */
export function usageOf(path: readonly Command[]): string {
  const command = path[path.length - 1];
  const usage = `Usage: ${usageTextOf(path)}\n`;
  if (command?.commands !== undefined) return usage + listOf(command.commands);
  return `${usage}${helpLineOf(path)}`;
}

/** Names the command line that shows the help. */
export const helpLineOf = (path: readonly Command[]) =>
  `Help: ${path.map(({ name }) => name).join(' ')} --help\n`;

const listOf = (commands: readonly Command[]) =>
  rowsOf(commands.map(({ name, about }) => [name, about]));

export function helpOf(path: readonly Command[]): string {
  const command = path[path.length - 1] as Command;
  const { about, details, args = [], options = [], examples = [] } = command;
  const parts = [
    `Usage: ${usageTextOf(path)}\n`,
    `${wrap(about, 0)}\n`,
    details === undefined
      ? ''
      : `${details
          .split('\n\n')
          .map((one) => wrap(one, 0))
          .join('\n\n')}\n`,
    ...groupsOf(command).map((group) => titled(group.title, listOf(group.commands))),
    titled('Arguments', rowsOf(args.map((one) => [argumentText(one), aboutText(one)]))),
    titled('Options', rowsOf(options.map((one) => [optionText(one), aboutText(one)]))),
    titled('Examples', examples.map((one) => `  ${exampleText(one)}\n`).join('')),
    command.load === undefined ? '' : titled('Exit status', statusesText(command)),
    path.length === 1 ? rootNotes : '',
  ];
  return parts.filter((part) => part !== '').join('\n');
}

const groupsOf = ({ groups, commands = [] }: Command) =>
  groups ?? [{ title: 'Commands', commands }];

/** An example that needs a pipe contains the name of the program itself. */
export const exampleText = (example: string) =>
  /(?:^|[|(] *)latchkey /.test(example) ? example : `latchkey ${example}`;

const rootNotes =
  'Run `latchkey <command> --help` for a command, and `latchkey version` for the version.\n' +
  'Settings of the service come from the environment: see docs/settings.md.\n';

const statusesText = (command: Command) =>
  `${rowsOf(statusesOf(command))}  docs/cli.md has the others.\n`;

/** The statuses of a command that are worth a line in its help. */
function statusesOf({ statuses = {} }: Command): [string, string][] {
  const { done, failed, usage } = exitStatuses;
  const common = Object.fromEntries([done, failed, usage].map((one) => [one.status, one.about]));
  return Object.entries({ ...common, ...statuses });
}

const titled = (title: string, text: string) => (text === '' ? '' : `${title}:\n${text}`);

function rowsOf(rows: readonly (readonly [string, string])[]): string {
  const left = Math.min(30, Math.max(0, ...rows.map(([name]) => name.length))) + 4;
  return rows
    .map(([name, about]) => {
      const start = `  ${name}`.padEnd(left);
      const text = wrap(about, left);
      return start.length > left ? `${start}\n${' '.repeat(left)}${text}\n` : `${start}${text}\n`;
    })
    .join('');
}

/** Breaks a text between words. All lines but the first are indented. */
function wrap(text: string, indent: number): string {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines[lines.length - 1] ?? '';
    if (line !== '' && indent + line.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}
