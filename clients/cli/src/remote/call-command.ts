// Converts the entries of calls to commands.
import { copyOption } from '../base/clipboard.ts';
import { type Argument, type Command, jsonOption, type Option } from '../base/command.ts';
import { type CallSpec, type FieldOption, optionName } from './call-spec.ts';

const workspaceOption: Option = {
  name: 'workspace',
  value: 'id',
  about: 'The workspace. Required unless the credential or `login --workspace` names one.',
};

export const keyOption: Option = {
  name: 'idempotency-key',
  value: 'key',
  about: 'The same key within 24 hours repeats the answer. Default: a random key.',
};

export const serverOption: Option = {
  name: 'server',
  value: 'url',
  about: 'The address of the server. Default: LATCHKEY_BASE_URL, or the one of the profile.',
};

const yesOption: Option = { name: 'yes', about: 'Does not ask for confirmation.' };

const listOptions: readonly Option[] = [
  { name: 'query', value: 'text', about: 'Only rows that contain this text.' },
  { name: 'order-by', value: 'field', about: 'The order, such as `name` or `create_time desc`.' },
  { name: 'page-size', value: 'count', about: 'The rows of a page, at most 200. Default: 50.' },
  { name: 'page-token', value: 'token', about: 'The page, from the note on the previous page.' },
  { name: 'all', about: 'Prints all pages.' },
];

const followOption: Option = {
  name: 'follow',
  about: 'Prints the last page, oldest row first, and then each new row until interrupted.',
};

const jsonRowsOption: Option = { ...jsonOption, about: 'Prints each row as JSON on one line.' };

const isList = ({ columns }: CallSpec) => columns !== undefined;

export function groupOf(
  name: string,
  about: string,
  members: readonly (CallSpec | Command)[],
): Command {
  const commands = members.map((one) => ('method' in one ? callCommand(one) : one));
  return { name, about, commands };
}

const specs = new WeakMap<Command, CallSpec>();

/** The table entry of a command that calls one method. */
export function callsOf(command: Command): readonly CallSpec[] {
  const spec = specs.get(command);
  return spec === undefined ? [] : [spec];
}

export function callCommand(spec: CallSpec): Command {
  const { name, about, details, examples, args = {}, fields = {} } = spec;
  const own = Object.entries(fields).map(([path, field]) => optionOf(path, field));
  // The audit log has filters instead of a search.
  const paging = listOptions.filter(
    (one) => !(spec.method.startsWith('audit.') && ['query', 'order-by'].includes(one.name)),
  );
  const command: Command = {
    name,
    about,
    ...(details === undefined ? {} : { details }),
    ...(examples === undefined ? {} : { examples }),
    args: Object.entries(args).map(([path, text]): Argument => {
      const isOptional = path === spec.optionalArg;
      return {
        name: path.replaceAll('_', '-'),
        about: text,
        ...(isOptional ? { isOptional } : {}),
        ...(path === spec.listArg ? { isList: true } : {}),
      };
    }),
    options: [
      ...own,
      ...(spec.isInWorkspace ? [workspaceOption] : []),
      ...(isList(spec) && !spec.isWhole ? paging : []),
      ...(spec.isFollowed ? [followOption] : []),
      ...(spec.copied === undefined ? [] : [copyOption]),
      ...(spec.isCreating ? [keyOption] : []),
      ...(spec.isPublic ? [serverOption] : []),
      ...(spec.question === undefined ? [] : [yesOption]),
      isList(spec) ? jsonRowsOption : jsonOption,
    ],
    load: async () => {
      const { runCall } = await import('./run-call.ts');
      return (input, host) => runCall(spec, input, host);
    },
  };
  specs.set(command, spec);
  return command;
}

export function optionOf(path: string, field: FieldOption): Option {
  const { about, value, values, isList: isRepeated, isNegatable } = field;
  return {
    name: optionName(path, field),
    about,
    ...(value === undefined ? {} : { value }),
    ...(values === undefined ? {} : { values }),
    ...(isRepeated === undefined ? {} : { isList: true }),
    ...(isNegatable === undefined ? {} : { isNegatable: true }),
  };
}
