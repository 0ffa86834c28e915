// Texts that are sorted and searched without regard to letter case. Both dialects get the same
// result: their functions fold only ASCII, and `containsText` folds the other letters of a query.

import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { isPostgres } from '../schema/dialect.ts';

/** A database or a transaction that executes the query. */
export type Builder = Pick<Kysely<unknown>, 'getExecutor'>;

/** The name of a column, or an expression that reads one. */
export type TextColumn = string | RawBuilder<unknown>;

/**
 * The text of a column with ASCII letters in lower case, ordered by code point. PostgreSQL's
 * default collation depends on the installation. Indexes contain the same expression.
 */
export function foldedColumn(db: Builder, column: TextColumn): RawBuilder<string> {
  const ref = typeof column === 'string' ? sql.ref(column) : column;
  return isPostgres(db) ? sql`lower(${ref} collate "C")` : sql`lower(${ref})`;
}

/** Folds a value as `foldedColumn` folds a column. */
export function foldValue(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * Matches rows whose column contains the text in any letter case, composed or decomposed (NFC,
 * NFD). Reads every row: no index helps. The time per row does not grow with the number of
 * different letters: `translate` folds all of them in one pass.
 */
export function containsText(db: Builder, column: TextColumn, text: string): RawBuilder<SqlBool> {
  const forms = new Set([foldText(text.normalize('NFC')), foldText(text.normalize('NFD'))]);
  const matches = [...forms].map((folded) => {
    const position = sql.raw(isPostgres(db) ? 'strpos' : 'instr');
    const { from, to } = capitalsOf(folded);
    const value = foldedColumn(db, column);
    const letters = from === '' ? value : sql`translate(${value}, ${from}, ${to})`;
    return sql<SqlBool>`${position}(${letters}, ${folded}) > 0`;
  });
  return sql<SqlBool>`(${sql.join(matches, sql` or `)})`;
}

/** A capital sigma becomes either small letter, so all three are one letter. */
const foldText = (text: string) => text.toLowerCase().replaceAll('ς', 'σ');

/** The capitals of the non-ASCII letters in `folded`. Other letters cannot match. */
function capitalsOf(folded: string): { from: string; to: string } {
  const pairs = [...new Set(folded)].flatMap((letter) => {
    const capital = letter.toUpperCase();
    // A letter such as ß has no capital of one character.
    if (letter <= '\x7f' || capital === letter || [...capital].length > 1) return [];
    return letter === 'σ' ? ['Σσ', 'ςσ'] : [capital + letter];
  });
  const side = (i: number) => pairs.map((pair) => [...pair][i]).join('');
  return { from: side(0), to: side(1) };
}

/** Replaces letters like the function `translate` of PostgreSQL, which SQLite lacks. */
export function createTranslate(): (text: unknown, from: string, to: string) => unknown {
  // A query calls the function for each of its rows, with few different letters.
  const known = new LRUCache<string, (text: string) => string>({ max: 8 });
  return (text, from, to) => {
    if (typeof text !== 'string') return text;
    const key = `${from}\n${to}`;
    let translate = known.get(key);
    if (translate === undefined) {
      translate = translatorOf(from, to);
      known.set(key, translate);
    }
    return translate(text);
  };
}

function translatorOf(from: string, to: string): (text: string) => string {
  const replacements = [...to];
  const letters = new Map([...from].map((letter, i) => [letter, replacements[i] ?? '']));
  // The letters are not ASCII, so none has a meaning in a class.
  const pattern = new RegExp(`[${from}]`, 'gu');
  // Letters of two code units are rare.
  if (from.length !== letters.size || to.length !== letters.size) {
    return (text) => text.replace(pattern, (letter) => letters.get(letter) ?? letter);
  }
  // A table takes a tenth of the time of `replace`.
  const codes = new Uint16Array(65_536).map((_, code) => code);
  for (const [letter, other] of letters) codes[letter.charCodeAt(0)] = other.charCodeAt(0);
  return (text) => {
    if (text.search(pattern) < 0) return text;
    const units = new Uint16Array(text.length);
    for (let i = 0; i < text.length; i++) units[i] = codes[text.charCodeAt(i)] ?? 0;
    return Buffer.from(units.buffer).toString('utf16le');
  };
}
