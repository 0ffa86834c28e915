// Builds the request of a call from the arguments and options of its command.
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type MessageShape,
} from '@bufbuild/protobuf';
import { StructSchema } from '@bufbuild/protobuf/wkt';
import {
  CommandError,
  type CommandHost,
  type Input,
  type OptionValue,
  UsageError,
} from '../base/command.ts';
import { readInput } from '../base/files.ts';
import { ask, canAsk, readLines } from '../base/prompt.ts';
import { type CallSpec, optionName } from './call-spec.ts';

/** Fields of the request that every list has; the others are in the table of the command. */
const listFields: Readonly<Record<string, string>> = {
  query: 'query',
  order_by: 'order-by',
  page_size: 'page-size',
  page_token: 'page-token',
};

export async function readRequest<I extends DescMessage>(
  desc: I,
  spec: RequestSpec,
  { input, host, workspaceId }: RequestOptions,
): Promise<MessageShape<I>> {
  const json: JsonObject = {};
  for (const path of Object.keys(spec.args ?? {})) {
    const value = input.args[path.replaceAll('_', '-')];
    if (value === undefined) continue;
    put(desc, json, path, path === spec.listArg ? [value, ...input.more] : value);
  }
  const changed = new Set<string>();
  const secrets = secretsOf(host);
  for (const [path, field] of Object.entries(spec.fields ?? {})) {
    const value = input.options[optionName(path, field)];
    if (value === undefined) continue;
    if (field.isJsonFile) {
      const found = desc.fields.find(({ name }) => name === path);
      json[path] = withEnumNames(found, await readJsonFile(String(value)));
      changed.add(path);
      continue;
    }
    const given = field.isPast && typeof value === 'string' ? timeOf(value, 'past') : value;
    put(desc, json, path, field.isSecret ? await secrets.read(path) : given);
    if (path !== 'etag') changed.add(path.replace(/\..*/, ''));
  }
  for (const [path, name] of Object.entries(spec.columns === undefined ? {} : listFields)) {
    const value = input.options[name];
    if (value !== undefined) put(desc, json, path, value);
  }
  if (desc.fields.some(({ name }) => name === 'update_mask')) {
    if (changed.size === 0) throw new UsageError('There is nothing to change.');
    json.updateMask = [...changed].map(camelCase).join(',');
  }
  if (spec.isInWorkspace && workspaceId !== undefined) json.workspace_id = workspaceId;
  return requestMessage(desc, json);
}

type RequestSpec = Pick<CallSpec, 'args' | 'listArg' | 'fields' | 'columns' | 'isInWorkspace'>;

type RequestOptions = {
  readonly input: Input;
  readonly host: CommandHost;
  readonly workspaceId?: string | undefined;
};

export const camelCase = (name: string) =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

async function readJsonFile(file: string): Promise<JsonValue> {
  const text = await readInput(file);
  try {
    return JSON.parse(text.toString());
  } catch {
    throw new UsageError(`${file} does not contain JSON.`);
  }
}

/** A secret in an argument could be seen in the list of processes. A pipe has one on each line. */
function secretsOf(host: CommandHost) {
  let lines: string[] | undefined;
  return {
    async read(path: string): Promise<string> {
      const name = path.replaceAll('_', ' ');
      if (canAsk(host)) return ask(host, `${titles[path] ?? `New ${name}`}: `, { isSecret: true });
      lines ??= await readLines(host);
      const line = lines.shift() ?? '';
      if (line === '') throw new UsageError(`The standard input has no ${name}.`);
      return line;
    },
  };
}

/** The secrets that the user has already. */
const titles: Readonly<Record<string, string>> = {
  code: 'Code',
  token: 'Token',
  current_password: 'Current password',
};

/** Sets a field that may be within a message, such as `quota.bytes_max`. */
function put(desc: DescMessage, json: JsonObject, path: string, value: OptionValue): void {
  const [name = '', ...rest] = path.split('.');
  const field = desc.fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`${desc.name} has no field ${name}`);
  if (rest.length > 0 && field.fieldKind === 'message') {
    const inner = (json[name] ?? {}) as JsonObject;
    json[name] = inner;
    put(field.message, inner, rest.join('.'), value);
  } else {
    json[name] = readValue(field, value);
  }
}

function readValue(field: DescField, value: OptionValue): JsonValue {
  if (field.fieldKind === 'list') {
    // `--scope ''` empties a list.
    return [value]
      .flat()
      .flatMap((one) => String(one).split(/[\s,]+/))
      .filter((one) => one !== '');
  }
  if (typeof value !== 'string') return value === true;
  if (field.fieldKind === 'map') return value === '' ? null : jsonOf(value);
  if (field.fieldKind === 'enum') return enumValue(field.enum, value);
  if (field.fieldKind === 'message') {
    if (value === '') return null;
    return field.message.typeName === StructSchema.typeName ? jsonOf(value) : timeOf(value);
  }
  if (field.fieldKind === 'scalar' && /^(9|12)$/.test(String(field.scalar))) return value;
  const number = Number(value);
  if (value === '' || !Number.isSafeInteger(number) || number < 0) {
    throw new UsageError(`"${value}" is not a whole number.`);
  }
  return number;
}

export const shortEnumName = ({ sharedPrefix = '' }: DescEnum, name: string) =>
  name.slice(sharedPrefix.length).toLowerCase().replaceAll('_', '-');

function enumValue(desc: DescEnum, value: string, place = ''): string {
  const found = desc.values.find(
    ({ name }) => name === value || shortEnumName(desc, name) === value,
  );
  if (found !== undefined) return found.name;
  const known = desc.values.filter(({ number }) => number !== 0);
  const names = known.map(({ name }) => shortEnumName(desc, name)).join(', ');
  throw new UsageError(`${place}"${value}" is not one of: ${names}.`);
}

/** Accepts the enum values of a file as an answer shows them: `admin` for `MAPPED_ROLE_ADMIN`. */
function withEnumNames(field: DescField | undefined, value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return value.map((one) => (Array.isArray(one) ? one : withEnumNames(field, one)));
  }
  const desc = field !== undefined && 'enum' in field ? field.enum : undefined;
  if (typeof value === 'string' && desc !== undefined) {
    return enumValue(desc, value, `${field?.name}: `);
  }
  const message = field !== undefined && 'message' in field ? field.message : undefined;
  if (typeof value !== 'object' || value === null || message === undefined) return value;
  // The JSON of these messages has other names than their fields.
  if (message.typeName.startsWith('google.protobuf.')) return value;
  const entries = Object.entries(value).map(([key, one]) => {
    const inner = message.fields.find(({ name, jsonName }) => name === key || jsonName === key);
    return [key, withEnumNames(inner, one)];
  });
  return Object.fromEntries(entries);
}

function jsonOf(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`"${text}" is not JSON.`);
  }
}

const unitMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Reads a time (RFC 3339), or its distance from now, such as `30d`. */
export function timeOf(text: string, direction: 'future' | 'past' = 'future'): string {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) {
    const span = Number(count) * (unitMs[unit] ?? 0);
    return new Date(Date.now() + (direction === 'past' ? -span : span)).toISOString();
  }
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text));
  if (isTime) return new Date(text).toISOString();
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
  const problem = isDate ? 'is a date, and needs an hour' : 'is not a time';
  throw new UsageError(`"${text}" ${problem}. Examples: 30d, 12h, 2030-01-31T12:00:00Z.`);
}

/** Throws a CommandError that names the field or message if the message cannot have the JSON. */
export function requestMessage<T extends DescMessage>(type: T, json: JsonObject): MessageShape<T> {
  try {
    return fromJson(type, json);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const place = /^cannot decode (?:field|message) \S*\.(\w+) from JSON: /;
    throw new CommandError(text.replace(place, '$1: '));
  }
}
