// Texts that are sorted and searched without regard to letter case. Both dialects get the same
// result: their functions fold only ASCII, and `containsText` folds the other letters of a query.
import { type Kysely, PostgresAdapter, type RawBuilder, type SqlBool, sql } from 'kysely';

/** A database or a transaction that executes the query. */
export type Builder = Pick<Kysely<unknown>, 'getExecutor'>;

/** The name of a column, or an expression that reads one. */
export type TextColumn = string | RawBuilder<unknown>;

const isPostgres = (db: Builder) => db.getExecutor().adapter instanceof PostgresAdapter;

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
 * NFD). Reads every row: no index helps.
 */
export function containsText(db: Builder, column: TextColumn, text: string): RawBuilder<SqlBool> {
  const forms = new Set([text.normalize('NFC'), text.normalize('NFD')]);
  const matches = [...forms].map((form) => {
    const folded = form.toLowerCase();
    const position = sql.raw(isPostgres(db) ? 'strpos' : 'instr');
    const value = foldLetters(foldedColumn(db, column), folded);
    return sql<SqlBool>`${position}(${value}, ${folded}) > 0`;
  });
  return sql<SqlBool>`(${sql.join(matches, sql` or `)})`;
}

/** Replaces the capitals of the non-ASCII letters in `folded`. Other letters cannot match. */
function foldLetters(column: RawBuilder<string>, folded: string): RawBuilder<string> {
  let result = column;
  for (const letter of new Set(folded)) {
    const capital = letter.toUpperCase();
    // A letter such as ß has no capital of one character.
    if (letter <= '\x7f' || capital === letter || [...capital].length > 1) continue;
    result = sql`replace(${result}, ${capital}, ${letter})`;
  }
  return result;
}
