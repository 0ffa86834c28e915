// Writes rows as CSV (RFC 4180), in which no spreadsheet takes a value for a formula.
import { stringify } from 'csv-stringify/sync';

const format = {
  quoted: true,
  quoted_empty: true,
  escape_formulas: true,
  record_delimiter: 'windows',
};

export const csvText = (rows: readonly (readonly unknown[])[]) =>
  Buffer.from(stringify(rows as unknown[][], format));

export const timeText = (ms: number) => new Date(ms).toISOString();
