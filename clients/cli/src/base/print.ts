// Prints data: a table on a terminal, tab-separated values for other programs, or JSON.
import { CommandError, type CommandHost, type Input } from './command.ts';
import { formatDuration } from './format-duration.ts';
import { formatTable } from './table.ts';
import { cleanText, jsonText, nameErased, padText, widthOf } from './text.ts';

/** A value as JSON. */
export type Data = { readonly [name: string]: unknown };

export type Field = {
  /** The path of the value, such as `usage.bytes`. */
  readonly path: string;
  readonly title: string;
  /** The path of the value that a terminal shows instead of an empty one. */
  readonly fallback?: string;
  readonly format?: 'bytes' | 'day' | 'duration' | 'share' | 'sign-in' | 'time';
};

const defaultColumns = 80;

/** Waits until the output is written. Throws if it is full, or its reader has closed it. */
export function write(
  { stdout }: Pick<CommandHost, 'stdout'>,
  text: string | Uint8Array,
): Promise<void> {
  if (text.length === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    stdout.write(text, (error) => (error ? reject(failureOf(error)) : resolve()));
  });
}

/** Writes texts, separated by tabs, on one line that cannot control the terminal. */
export const writeLine = (host: Pick<CommandHost, 'stdout'>, ...texts: string[]) =>
  write(host, `${texts.map(cleanText).join('\t')}\n`);

function failureOf(error: Error): CommandError {
  const isClosed = 'code' in error && error.code === 'EPIPE';
  if (isClosed) return new CommandError('', undefined, 'pipe');
  return new CommandError('The output cannot be written', error, 'output');
}

export const wantsJson = ({ options }: Input) => options.json === true;

export const writeJson = (host: CommandHost, data: unknown) =>
  write(host, `${jsonText(data, host.stdout.isTTY ? 2 : undefined)}\n`);

function isColored({ env, stdout }: CommandHost): boolean {
  return stdout.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
}

/**
 * Prints rows. Without a terminal there are no titles, and every value is in full. A terminal does
 * not show columns without a value.
 */
export async function writeRows(
  host: CommandHost,
  fields: readonly Field[],
  rows: readonly Data[],
): Promise<void> {
  if (host.stdout.isTTY !== true) {
    const lines = rows.map((row) => `${fields.map((field) => cellOf(row, field)).join('\t')}\n`);
    return write(host, lines.join(''));
  }
  if (rows.length === 0) return;
  const filled = fields.filter((field) => rows.some((row) => shownOf(row, field) !== ''));
  const columns = filled.map((field) => ({
    title: field.title.toUpperCase(),
    isFixed: isFixed(field, rows),
    isSpare: isSpare(field),
  }));
  const cells = rows.map((row) => filled.map((field) => shownOf(row, field)));
  // A terminal whose size is not known reports 0.
  const width = host.stdout.columns || defaultColumns;
  return write(host, formatTable(columns, cells, { width, isBold: isColored(host) }));
}

/** Users copy ids, addresses and actions. A part of a time or a number would be wrong. */
const isFixed = ({ path, format }: Field, rows: readonly Data[]) =>
  /^(id|\w+_id|kid|url|actor|action|target)$/.test(path) ||
  format !== undefined ||
  rows.every((row) => typeof valueAt(row, path) === 'number');

/** The ids of resources whose names are more useful in a narrow terminal. */
const isSpare = ({ path }: Field) => /^(actor|target|document_id)$/.test(path);

/**
 * Prints each value of an object on one line, with its name. On a terminal, lists of objects are
 * tables below the other values.
 */
export async function writeObject(
  host: CommandHost,
  data: Data,
  fieldOf: (path: string, list?: string) => Field = (path) => ({ path, title: pathWords(path) }),
): Promise<void> {
  const values = flatten(data);
  if (host.stdout.isTTY !== true) {
    // Scripts read the members of objects by their names.
    const texts = values.map(([name, value]) => {
      const items = isRows(value) ? value.map((row) => JSON.stringify(row)) : value;
      return `${name}\t${textOf(items)}\n`;
    });
    return write(host, texts.join(''));
  }
  const filled = values.filter(([, value]) => !isRows(value) && textOf(value) !== '');
  const cells = filled.map(
    ([name, value]) => [wordsOf(name), shown(value, fieldOf(name))] as const,
  );
  const width = Math.max(0, ...cells.map(([words]) => widthOf(words)));
  const lines = cells.map(([words, text]) => `${padText(words, width)}  ${text}\n`);
  await write(host, lines.join(''));
  for (const [name, all] of values) {
    if (!isRows(all)) continue;
    const rows = all.filter((row) => !isZero(row));
    if (rows.length === 0) continue;
    const paths = new Set(rows.flatMap((row) => flatten(row).map(([path]) => path)));
    await write(host, `\n${pathWords(name)}\n`);
    const fields = [...paths].map((path) => fieldOf(path, name));
    await writeRows(host, fields, rows);
  }
}

/** Whether a row counts something and all its counts are 0, such as a day without views. */
function isZero(row: Data): boolean {
  const counts = Object.entries(row).filter(([name]) => /_(count|ms)$/.test(name));
  return counts.length > 0 && counts.every(([, count]) => count === 0);
}

/** The values have a unit. */
const wordsOf = (path: string) => pathWords(path).replace(/ (ms|bytes)$/, '');

export const pathWords = (path: string) => path.replaceAll('_', ' ').replaceAll('.', ' ');

function flatten(data: Data, prefix = ''): [path: string, value: unknown][] {
  return Object.entries(data).flatMap(([name, value]): [string, unknown][] => {
    const path = `${prefix}${name}`;
    return isObject(value) ? flatten(value, `${path}.`) : [[path, value]];
  });
}

const isRows = (value: unknown): value is readonly Data[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject);

const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (isRows(value)) return value.map((row) => textOf(Object.values(row))).join(', ');
  if (Array.isArray(value)) return value.map(textOf).join(' ');
  return cleanText(isObject(value) ? JSON.stringify(value) : String(value));
}

function valueAt(row: Data, path: string): unknown {
  let value: unknown = row;
  for (const name of path.split('.')) {
    // A number is the place in a list.
    if (Array.isArray(value)) value = value[Number(name)];
    else value = isObject(value) ? value[name] : undefined;
  }
  return value;
}

const cellOf = (row: Data, { path }: Field) => textOf(valueAt(row, path));

function shownOf(row: Data, field: Field): string {
  const text = shown(valueAt(row, field.path), field);
  return text === '' && field.fallback !== undefined
    ? shown(valueAt(row, field.fallback), field)
    : text;
}

/** The value for people, as the console shows sizes, durations and shares. */
function shown(value: unknown, { format }: Field): string {
  if (typeof value === 'number') {
    if (format === 'bytes') return formatBytes(value);
    if (format === 'duration') return formatDuration(value);
    if (format === 'share') return `${Math.round(value * 100)} %`;
  }
  const text = textOf(value);
  if (format === 'day' && text.endsWith('T00:00:00Z')) return text.replace(/T.*/, '');
  if (format === 'sign-in') return signInMethods[text] ?? text;
  if (format !== 'time' && format !== 'day') return nameErased(text);
  return text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, '$1 $2Z');
}

/** Words for the `amr` of a session (RFC 8176). */
const signInMethods: Readonly<Record<string, string>> = {
  pwd: 'password',
  'pwd otp mfa': 'password and code',
  'hwk user mfa': 'passkey',
  'swk user mfa': 'passkey',
};

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Returns a text such as "1 byte", "14.2 kB" or "100 MB". A kB has 1,000 bytes. */
export function formatBytes(bytes: number): string {
  let shown = bytes;
  let power = 0;
  // Rounded to one decimal, so that 999,950 bytes are 1 MB and not 1,000 kB.
  while (Math.round(shown * 10) >= 10_000 && power < units.length - 1) {
    shown /= 1000;
    power++;
  }
  const format = new Intl.NumberFormat('en', {
    style: 'unit',
    unit: units[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  });
  return format.format(shown);
}
