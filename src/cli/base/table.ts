// Formats rows as a table that fits the terminal.
import { cutText, padText, widthOf } from './text.ts';

export type TableColumn = {
  readonly title: string;
  /** Whether its values are shown in full, such as ids, which users copy. */
  readonly isFixed: boolean;
};

const gap = 2;
const shortestWidth = 8;

/**
 * Shortens the widest columns until the table fits. If that is not enough, leaves out the last
 * columns.
 */
export function formatTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  { width, isBold }: { readonly width: number; readonly isBold: boolean },
): string {
  const titles = columns.map(({ title }) => title);
  const widths = columns.map(({ title }, i) =>
    rows.reduce((max, row) => Math.max(max, widthOf(row[i] ?? '')), title.length),
  );
  const total = () => widths.reduce((sum, one) => sum + one + gap, -gap);
  while (total() > width) {
    const flexible = widths.map((one, i) => (columns[i]?.isFixed ? 0 : one));
    const widest = Math.max(...flexible);
    if (widest <= shortestWidth) break;
    widths[flexible.indexOf(widest)] = widest - 1;
  }
  while (total() > width && widths.length > 1) widths.pop();
  const lineOf = (cells: readonly string[]) =>
    widths
      .map((one, i) => padText(cutText(cells[i] ?? '', one), one))
      .join(' '.repeat(gap))
      .trimEnd();
  const title = lineOf(titles);
  const lines = [isBold ? `\u001b[1m${title}\u001b[22m` : title, ...rows.map(lineOf)];
  return lines.map((line) => `${line}\n`).join('');
}
