// Reads recipients of links from CSV. The console imports this file, too.

export type Recipient = {
  readonly recipient: string;
  /** From 1. */
  readonly line: number;
};

export type Row = {
  readonly cells: readonly string[];
  /** The line on which the row begins, from 1. */
  readonly line: number;
};

/** The first cell of each row. A first one without `@` and `.` is the name of the column. */
export function readRecipients(rows: readonly Row[]): Recipient[] {
  const found = rows
    .map(({ cells: [recipient = ''], line }) => ({ recipient, line }))
    .filter(({ recipient }) => recipient !== '');
  return /[@.]/.test(found[0]?.recipient ?? '@') ? found : found.slice(1);
}

// A cell and the separator after it. Quotes may enclose separators and line breaks.
const cellPattern =
  /[^\S\t\r\n]*(?:"((?:[^"]|"")*)"[^,;\t\r\n]*|([^,;\t\r\n]*))(,|;|\t|\r?\n|\r|$)/gy;

/** The rows that are not blank. Commas, semicolons and tabs separate cells (RFC 4180). */
export function readRows(content: string): Row[] {
  const text = content.replace(/^\ufeff/, '');
  const rows: Row[] = [];
  let [line, firstLine] = [1, 1];
  let cells: string[] = [];
  for (const [cell, quoted, plain = '', separator = ''] of text.matchAll(cellPattern)) {
    cells.push((quoted?.replaceAll('""', '"') ?? plain).trim());
    line += cell.match(/\r?\n|\r/g)?.length ?? 0;
    if (/[,;\t]/.test(separator)) continue;
    if (cells.some((one) => one !== '')) rows.push({ cells, line: firstLine });
    [cells, firstLine] = [[], line];
  }
  return rows;
}
