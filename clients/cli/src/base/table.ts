// Formats rows as a table that fits the terminal.
import { cutText, padText, widthOf } from './text.ts';

export type TableColumn = {
  readonly title: string;
  /** Whether its values are shown in full, such as ids, which users copy. */
  readonly isFixed: boolean;
  /** Whether it is left out rather than shortening the others below a readable width. */
  readonly isSpare?: boolean;
};

const gap = 2;
const shortestWidth = 7;
const readableWidth = 24;

/** Leaves out the last columns that cannot fit, and shortens the widest of the others. */
export function formatTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  { width, isBold }: { readonly width: number; readonly isBold: boolean },
): string {
  const titles = columns.map(({ title }) => title);
  const widths = columns.map(({ title }, i) =>
    rows.reduce((max, row) => Math.max(max, widthOf(row[i] ?? '')), widthOf(title)),
  );
  // A title is never cut.
  const shortenedTo = (least: number) =>
    columns.map(({ title, isFixed }, i) => {
      const full = widths[i] ?? 0;
      return isFixed ? full : Math.min(full, Math.max(least, widthOf(title)));
    });
  const leastWidths = shortenedTo(shortestWidth);
  const readableWidths = shortenedTo(readableWidth);
  while (leastWidths.length > 1) {
    const isSpare = columns[leastWidths.length - 1]?.isSpare === true;
    if (totalOf(isSpare ? readableWidths : leastWidths) <= width) break;
    leastWidths.pop();
    readableWidths.pop();
  }
  widths.length = leastWidths.length;
  while (totalOf(widths) > width) {
    const flexible = widths.map((one, i) => (one > (leastWidths[i] ?? one) ? one : 0));
    const widest = Math.max(...flexible);
    if (widest === 0) break;
    widths[flexible.indexOf(widest)] = widest - 1;
  }
  const lineOf = (cells: readonly string[]) =>
    widths
      .map((one, i) => padText(cutText(cells[i] ?? '', one), one))
      .join(' '.repeat(gap))
      .trimEnd();
  const title = lineOf(titles);
  const lines = [isBold ? `\u001b[1m${title}\u001b[22m` : title, ...rows.map(lineOf)];
  return lines.map((line) => `${line}\n`).join('');
}

const totalOf = (widths: readonly number[]) => widths.reduce((sum, one) => sum + one + gap, -gap);
