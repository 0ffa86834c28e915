// Parses a command line with commander, which gets its commands from the tree.
import { Argument, type CommanderError, Option, Command as Parser } from 'commander';
import type { Argument as ArgumentSpec, Command, Input, Option as OptionSpec } from './command.ts';
import { helpLineOf, helpOf, usageOf } from './help.ts';

/** A command line that is ready to run, one that asks for help, or a wrong one. */
export type Parsed =
  | {
      readonly kind: 'run';
      readonly command: Command;
      readonly input: Input;
      readonly usage: string;
    }
  | { readonly kind: 'help'; readonly text: string }
  | {
      readonly kind: 'wrong';
      readonly message: string;
      readonly usage: string;
      readonly status?: number;
    };

/** Parses the arguments, without the name of the program. */
export function parseWords(root: Command, line: readonly string[]): Parsed {
  const start = countOwn(root, line);
  const words = nameList(root, line.slice(start));
  const asked = words[0] === 'help' ? words.slice(1) : words;
  const wantsHelp = asked !== words || beforeDashes(line).some(asksHelp);
  if (wantsHelp) {
    const path = pathOf(root, asked);
    if (path !== undefined) return { kind: 'help', text: helpOf(path) };
  }
  let parsed: Parsed | undefined;
  const parser = parserOf([root], (path, input) => {
    const [command = root] = path.slice(-1);
    parsed = { kind: 'run', command, input, usage: usageOf(path) };
  });
  const given = wantsHelp ? asked.filter((word) => !asksHelp(word)) : words;
  try {
    parser.parse([...line.slice(0, start), ...given], { from: 'user' });
  } catch (error) {
    if (!(error instanceof WrongWords)) throw error;
    const { message, usage, status } = error;
    return { kind: 'wrong', message, usage, ...(status === undefined ? {} : { status }) };
  }
  return parsed ?? { kind: 'wrong', message: '', usage: usageOf([root]) };
}

/** The number of words before the command: the options of the program and their values. */
function countOwn({ options = [] }: Command, words: readonly string[]): number {
  let count = 0;
  for (;;) {
    const word = words[count] ?? '';
    const option = options.find(({ name }) => word.replace(/=.*/s, '') === `--${name}`);
    if (option === undefined) return count;
    count += option.value === undefined || word.includes('=') ? 1 : 2;
  }
}

/** The words of a line, with the `list` that it leaves out. */
export function completeWords(root: Command, line: readonly string[]): readonly string[] {
  const start = countOwn(root, line);
  return [...line.slice(0, start), ...nameList(root, line.slice(start))];
}

/** Adds `list` if one of its options directly follows the group: `audit --follow`. */
function nameList(root: Command, words: readonly string[]): readonly string[] {
  const path = pathOf(root, words) ?? [root];
  const at = path.length - 1;
  const group = path[at] as Command;
  const { options = [] } = childOf(group, 'list') ?? {};
  const isOption = options.some(({ name }) => words[at]?.replace(/=.*/s, '') === `--${name}`);
  if (!isOption || words.some((word, i) => i > at && childOf(group, word))) return words;
  return [...words.slice(0, at), 'list', ...words.slice(at)];
}

const asksHelp = (word: string) => word === '--help' || word === '-h';

function beforeDashes(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end === -1 ? words : words.slice(0, end);
}

/**
 * The command that the words name, and the groups that contain it. Undefined if a group has no
 * such command.
 */
function pathOf(root: Command, words: readonly string[]): Command[] | undefined {
  const path = [root];
  let command = root;
  for (const word of words) {
    if (command.commands === undefined || word.startsWith('-')) break;
    const found = childOf(command, word);
    if (found === undefined) return undefined;
    path.push(found);
    command = found;
  }
  return path;
}

/** The command of a group that a word names. */
export const childOf = ({ commands = [] }: Command, word: string): Command | undefined =>
  commands.find((one) => one.name === word || aliasOf(one, commands) === word);

/** `client` for the group `clients`, unless another command has this name. */
function aliasOf({ name, commands }: Command, siblings: readonly Command[]): string | undefined {
  if (commands === undefined || !name.endsWith('s')) return undefined;
  const alias = name.slice(0, -1);
  return siblings.some((one) => one.name === alias) ? undefined : alias;
}

class WrongWords extends Error {
  readonly usage: string;
  readonly status: number | undefined;
  constructor(message: string, usage: string, { usageStatus }: Command) {
    super(message);
    this.usage = usage;
    this.status = usageStatus;
  }
}

type Selected = (path: readonly Command[], input: Input) => void;

function parserOf(path: readonly Command[], select: Selected): Parser {
  const command = path[path.length - 1] as Command;
  const parser = new Parser(command.name)
    .helpOption(false)
    .helpCommand(false)
    .allowExcessArguments()
    .configureOutput({ writeErr() {}, writeOut() {} })
    .exitOverride((error) => {
      // A list of all commands would push the message out of sight.
      const isLong = error.code === 'commander.unknownCommand' && path.length === 1;
      const usage = isLong || isMisspelt(error) ? helpLineOf(path) : usageOf(path);
      throw new WrongWords(messageOf(error, command), usage, command);
    });
  for (const option of command.options ?? []) addOption(parser, option);
  let isOptional = false;
  for (const argument of command.args ?? []) {
    // The command itself requires an argument after an optional one.
    isOptional ||= argument.isOptional === true;
    parser.addArgument(argumentOf({ ...argument, isOptional }));
  }
  const children = command.commands ?? [];
  for (const child of children) {
    const added = parserOf([...path, child], select);
    const alias = aliasOf(child, children);
    parser.addCommand(alias === undefined ? added : added.alias(alias));
  }
  // Without an action, the parser refuses a group without a command.
  if (command.load === undefined) return parser;
  parser.action(() => {
    const [first] = parser.args.slice(command.args?.length ?? 0);
    if (first !== undefined && !hasList(command)) {
      throw new WrongWords(`Unexpected argument "${first}".`, usageOf(path), command);
    }
    select(path, inputOf(command, parser, path[0]));
  });
  return parser;
}

function addOption(parser: Parser, spec: OptionSpec): void {
  const { name, short, value, values, isList, isNegatable } = spec;
  const flags = short === undefined ? `--${name}` : `-${short}, --${name}`;
  const option = new Option(value === undefined ? flags : `${flags} <${value}>`);
  if (values !== undefined) option.choices([...values]);
  if (isList) option.argParser((one: string, all: string[] | undefined) => [...(all ?? []), one]);
  parser.addOption(option);
  if (isNegatable) parser.addOption(new Option(`--no-${name}`));
}

const hasList = ({ args = [] }: Command) => args.some(({ isList }) => isList === true);

function argumentOf({ name, isOptional, isList, values }: ArgumentSpec): Argument {
  const argument = new Argument(isOptional ? `[${name}]` : `<${name}${isList ? '...' : ''}>`);
  return values === undefined ? argument : argument.choices([...values]);
}

function inputOf(command: Command, parser: Parser, root: Command | undefined): Input {
  const args = (command.args ?? []).map(({ name }, i) => [name, parser.args[i]]);
  const more = hasList(command) ? parser.args.slice(command.args?.length ?? 0) : [];
  const values = parser.optsWithGlobals();
  const options = [...(root?.options ?? []), ...(command.options ?? [])].map(({ name }) => [
    name,
    values[name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())],
  ]);
  return { args: Object.fromEntries(args), more, options: Object.fromEntries(options) };
}

/** The messages of commander, in the words of this program. */
const messages: readonly (readonly [pattern: RegExp, message: string])[] = [
  [/^error: unknown command '(.*)'(?:$|\n\(Did)/s, 'The command "$1" is unknown.'],
  [/^error: unknown option '(.*)'(?:$|\n\(Did)/s, 'The option "$1" is unknown.'],
  [/^error: missing required argument '(.*)'$/, 'Missing argument <$1>.'],
  [/^error: option '(.*)' argument missing$/, 'The option $1 needs a value.'],
  [/^error: option '(.*?)' argument '(.*)' is invalid\./s, 'The option $1 cannot be "$2".'],
  [/^error: .* value '(.*)' is invalid for argument '(.*?)'\./s, '<$2> cannot be "$1".'],
];

function messageOf({ code, message }: CommanderError, command: Command): string {
  // A group without a command.
  if (code === 'commander.help') return '';
  for (const [pattern, text] of messages) {
    const match = pattern.exec(message);
    if (match === null) continue;
    const own = text.replace(/\$(\d)/g, (_, index: string) => match[Number(index)] ?? '');
    return [own, ...hintsOf(message, command)].join(' ');
  }
  const [first = ''] = message.replace(/^error: /, '').split('\n');
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}`;
}

/** Whether a command is unknown, and another has a similar name. */
const isMisspelt = ({ code, message }: CommanderError) =>
  code === 'commander.unknownCommand' && meantPattern.test(message);

const meantPattern = /\n\((Did you mean .*\?)\)$/;

/** Similar names, or the accepted values. */
function hintsOf(message: string, { args = [], options = [], commands = [] }: Command): string[] {
  const [, similar = longerOption(message, options)] = meantPattern.exec(message) ?? [];
  const meant = nestedCommand(message, commands) ?? similar;
  const [choices] = /Allowed choices are .*\.$/.exec(message) ?? [];
  const [, missing] = /missing required argument '(.*)'$/.exec(message) ?? [];
  const values = args.find(({ name }) => name === missing)?.values;
  const accepted = values && `Allowed choices are ${values.join(', ')}.`;
  return [meant, choices, accepted].flatMap((hint) => hint ?? []);
}

/** The nested commands with this name: `secrets rotate` for `rotate`. */
function nestedCommand(message: string, groups: readonly Command[]): string | undefined {
  const [, unknown] = /unknown command '(.*?)'(?:$|\n)/.exec(message) ?? [];
  const pathsIn = ({ name, commands = [] }: Command): string[] => {
    const paths = commands.flatMap((one) => (one.name === unknown ? [one.name] : pathsIn(one)));
    return paths.map((path) => `${name} ${path}`);
  };
  const found = groups.flatMap(pathsIn);
  return found.length > 3 ? undefined : suggestionOf(found);
}

/** The options that begin with an unknown one: `--overlap-seconds` for `--overlap`. */
function longerOption(message: string, options: readonly OptionSpec[]): string | undefined {
  const [, unknown] = /unknown option '--(\w[\w-]*)/.exec(message) ?? [];
  const found = options.filter(({ name }) => name.startsWith(`${unknown}-`));
  return suggestionOf(found.map(({ name }) => `--${name}`));
}

function suggestionOf(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  return `Did you mean ${names.length > 1 ? 'one of ' : ''}${names.join(', ')}?`;
}
