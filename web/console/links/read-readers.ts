/** Reads email addresses and domains that are typed, pasted or dropped as CSV. */
import { type Row, readRecipients, readRows } from '../../../clients/cli/src/base/recipients.ts';
import { detectEncoding } from '../../../src/base/http/text-encoding.ts';
import { splitWords } from '../shared/split-words.ts';

/** Whether a text may be an address or a domain. The service checks it exactly. */
const isReader = (text: string) =>
  /^[^\s@<>()":%!]*@[\p{L}\p{M}\p{N}.-]+\.[\p{L}\p{M}\p{N}-]+$/u.test(text);
const isAddress = (text: string) => isReader(text) && !text.startsWith('@');

const readerRules = { permitsDomains: true };

/** Returns an error if a word of the field is not a reader, otherwise null. */
export function readersError(text: string, rules = readerRules): string | null {
  const isRight = rules.permitsDomains ? isReader : isAddress;
  for (const [i, line] of text.split('\n').entries()) {
    const wrong = splitWords(line).find((word) => !isRight(word));
    if (wrong !== undefined) return `Line ${i + 1} ${lacksReader(wrong, rules)}`;
  }
  return null;
}

const shownCharacters = 40;

function lacksReader(text: string, { permitsDomains } = readerRules): string {
  const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
  return `has no email address${permitsDomains ? ' or domain' : ''}: “${shown}”.`;
}

/** Returns the rows of a pasted text if it is a table, and undefined if it is a list. */
export function readTable(text: string): Row[] | undefined {
  const rows = readRows(text);
  const width = rows[0]?.cells.length;
  if (rows.length < 2 || rows.some(({ cells }) => cells.length !== width)) return undefined;
  const isList = rows.every(({ cells }) => cells.every((cell) => cell === '' || /@/.test(cell)));
  return isList ? undefined : rows;
}

const fileBytesMax = 1_000_000;
const readersMax = 1_000;

/** All readers of a table, or none and the reason. */
export type ImportedReaders = { readonly readers: readonly string[] } | { readonly error: string };

/** Reads the first column of a CSV file. */
export async function importFile(file: File): Promise<ImportedReaders> {
  if (file.size > fileBytesMax) return refuse(`${file.name} is larger than 1 MB.`);
  const buffer = await file.arrayBuffer().catch(() => undefined);
  if (buffer === undefined) return refuse(`${file.name} cannot be read.`);
  const text = new TextDecoder(detectEncoding(new Uint8Array(buffer), true)).decode(buffer);
  return importRows(readRows(text), file.name);
}

/** `source`: the name of the file or of the text. */
export function importRows(rows: readonly Row[], source: string): ImportedReaders {
  const found = readRecipients(rows);
  const wrong = found.find(({ recipient }) => !isReader(recipient));
  if (wrong !== undefined) {
    return refuse(`Line ${wrong.line} of ${source} ${lacksReader(wrong.recipient)}`);
  }
  if (found.length === 0) return refuse(`There are no addresses in ${source}.`);
  if (found.length > readersMax) return refuse(`There are more than 1,000 addresses in ${source}.`);
  return { readers: [...new Set(found.map(({ recipient }) => recipient))] };
}

const refuse = (reason: string) => ({ error: `${reason} Nothing was added.` });
