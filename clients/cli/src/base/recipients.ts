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

/**
 * The first cell of each row, which may be empty. A first row with the names of the columns is
 * skipped: it has no `@`, and its first cell no `.`.
 */
export function readRecipients(rows: readonly Row[]): Recipient[] {
  const found = rows.map(({ cells: [recipient = ''], line }) => ({ recipient, line }));
  const [first] = rows;
  const isHeader =
    first !== undefined &&
    !first.cells.some((cell) => cell.includes('@')) &&
    !first.cells[0]?.includes('.');
  return isHeader ? found.slice(1) : found;
}

// A cell and the separator after it. Quotes may enclose separators and line breaks.
const cellPattern =
  /[^\S\t\r\n]*(?:"((?:[^"]|"")*)"([^,;\t\r\n]*)|([^,;\t\r\n]*))(,|;|\t|\r?\n|\r|$)/gy;

/** The rows that are not blank. Commas, semicolons and tabs separate cells (RFC 4180). */
export function readRows(content: string): Row[] {
  const text = content.replace(/^\ufeff/, '');
  const rows: Row[] = [];
  let [line, firstLine] = [1, 1];
  let cells: string[] = [];
  for (const found of text.matchAll(cellPattern)) {
    const [cell, quoted = '', rest = '', plain = '', separator = ''] = found;
    // Text after a closing quote belongs to the cell, so that it is not lost.
    cells.push(`${quoted.replaceAll('""', '"')}${rest}${plain}`.trim());
    line += cell.match(/\r?\n|\r/g)?.length ?? 0;
    if (/[,;\t]/.test(separator)) continue;
    if (cells.some((one) => one !== '')) rows.push({ cells, line: firstLine });
    [cells, firstLine] = [[], line];
  }
  return rows;
}
