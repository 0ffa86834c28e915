/** Reads the first rows of a CSV file, and no more of the file than they need. */
import Papa from 'papaparse';
import type { TextFile } from '../loading/text-file.ts';

const rowsMax = 10_000;
const columnsMax = 200;
/** A browser shows this many cells without a noticeable delay. */
const cellsMax = 400_000;
const cellCharactersMax = 2_000;

const firstBytes = 256 * 1024;
const bytesMax = 16 * 1024 * 1024;
/** Of the parser. A file with more is malformed. */
const errorsMax = 1_000;

export interface Rows {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly hasMoreRows: boolean;
  readonly hasMoreColumns: boolean;
}

export async function readRows(file: TextFile): Promise<Rows> {
  let text = '';
  let parsed: string[][] = [];
  let delimiter = '';
  // Each part is as large as all parts before it, so that the work stays proportional to the size.
  for (let bytes = firstBytes; ; bytes *= 2) {
    text += await file.read(bytes);
    const { data, errors, meta } = parseRows(text, delimiter);
    // Malformed quotes, or one that never ends, are slow to parse.
    const isMalformed = errors.length > errorsMax || data.length === parsed.length;
    parsed = data;
    delimiter = meta.delimiter;
    if (file.isComplete || isMalformed) break;
    if (parsed.length > rowsMax + 1 || bytes * 4 > bytesMax) break;
  }
  const isCut = !file.isComplete && parsed.length <= rowsMax + 1;
  // The end of the last row is missing.
  const whole = isCut && parsed.length > 1 ? parsed.slice(0, -1) : parsed;
  const [header = [], ...rows] = whole;
  const columns = whole.reduce((most, { length }) => Math.max(most, length), 0);
  const shown = Math.min(rowsMax, Math.floor(cellsMax / Math.min(columnsMax, columns || 1)));
  return {
    header: Array.from({ length: Math.min(columns, columnsMax) }, (_, i) => cut(header[i] ?? '')),
    rows: rows.slice(0, shown).map((row) => row.slice(0, columnsMax).map(cut)),
    hasMoreRows: isCut || rows.length > shown,
    hasMoreColumns: columns > columnsMax,
  };
}

/** The header, at most `rowsMax` rows, and one more. Guesses an empty delimiter. */
const parseRows = (text: string, delimiter: string) =>
  Papa.parse<string[]>(text, { delimiter, preview: rowsMax + 2, skipEmptyLines: true });

function cut(cell: string): string {
  return cell.length > cellCharactersMax ? `${cell.slice(0, cellCharactersMax)}…` : cell;
}
