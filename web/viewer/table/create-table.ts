import { createElement } from '../shell/create-element.ts';
import type { Rows } from './read-rows.ts';

/** Rows that are added without a pause. */
const batchRows = 500;

/** Rows that decide the widths and the alignment of their columns. */
const measuredRows = 200;
const charactersMin = 6;
const charactersMax = 40;
/** Padding, the border, and some space for letters that are wider than a zero. */
const extraPixels = 36;

const number = /^[+-]?[\d\s.,'’]*\d\s?[%€$£]?$/;

export interface Table {
  readonly element: HTMLTableElement;
  /** Adds the rows that are still missing, with pauses for the input of the reader. */
  fill(): Promise<void>;
}

export function createTable(name: string, { header, rows }: Rows): Table {
  const element = createElement('table', { className: 'table' });
  const caption = element.createCaption();
  caption.className = 'unseen';
  caption.textContent = name;
  const measured = rows.slice(0, measuredRows);
  const numeric = header.map((_, column) => isNumeric(measured.map((row) => row[column] ?? '')));
  element.append(createColumns(element, header, measured, String(rows.length).length));

  const headRow = element.createTHead().insertRow();
  headRow.append(createHeading('col', 'Row', 'unseen'));
  const body = element.createTBody();
  const original = rows.map((_, index) => index);
  let order = original;

  const headings = header.map((text, column) => {
    const heading = createHeading('col', text, numeric[column] ? 'number' : '');
    const properties = { type: 'button', title: 'Sort by this column' } as const;
    const button = createElement('button', properties, ...heading.childNodes);
    button.addEventListener('click', () => sortBy(column));
    heading.append(button);
    return heading;
  });
  headRow.append(...headings);

  /** Ascending, then descending, then as in the file. */
  function sortBy(column: number): void {
    const heading = headings[column];
    const next = { ascending: 'descending', descending: null }[heading?.ariaSort ?? ''];
    for (const other of headings) other.ariaSort = null;
    if (heading) heading.ariaSort = next === undefined ? 'ascending' : next;
    order = original;
    if (next !== null) {
      const compare = compareCells(rows, column, numeric[column] === true);
      order = original.toSorted((a, b) => (next === undefined ? compare(a, b) : compare(b, a)));
    }
    body.replaceChildren();
    addRows(0);
    void fill();
  }

  function addRows(begin: number): void {
    const added = order.slice(begin, begin + batchRows).map((index) => {
      const row = createElement('tr', {}, createHeading('row', String(index + 1)));
      header.forEach((_, column) => {
        const cell = row.insertCell();
        cell.textContent = rows[index]?.[column] ?? '';
        if (numeric[column]) cell.className = 'number';
      });
      return row;
    });
    body.append(...added);
  }

  async function fill(): Promise<void> {
    const started = order;
    for (let begin = batchRows; begin < rows.length; begin += batchRows) {
      await new Promise((resolve) => setTimeout(resolve));
      // Another order fills the table itself.
      if (order !== started) return;
      addRows(begin);
    }
  }

  addRows(0);
  return { element, fill };
}

function compareCells(rows: Rows['rows'], column: number, isNumeric: boolean) {
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const cells = rows.map((row) => row[column]?.trim() ?? '');
  const values = isNumeric ? cells.map(readNumber) : [];
  return (a: number, b: number): number => {
    const [first = '', second = ''] = [cells[a], cells[b]];
    if (first === '' || second === '') return Number(first === '') - Number(second === '');
    return isNumeric ? (values[a] ?? 0) - (values[b] ?? 0) : compare(first, second);
  };
}

/** Reads a number with separators of thousands. The last comma or point is the decimal sign. */
function readNumber(text: string): number {
  const digits = text.replace(/[^\d.,-]/g, '');
  const decimal = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  const sign = digits[decimal] ?? '';
  // A sign that is repeated, or that three digits follow once, separates thousands.
  const isRepeated = sign !== '' && digits.indexOf(sign) !== decimal;
  const isThousands = isRepeated || (sign === ',' && digits.length - decimal === 4);
  if (decimal < 0 || isThousands) return Number(digits.replace(/[.,]/g, ''));
  const whole = digits.slice(0, decimal).replace(/[.,]/g, '');
  return Number(`${whole}.${digits.slice(decimal + 1)}`);
}

function createHeading(scope: 'row' | 'col', text: string, className = ''): HTMLElement {
  const content = createElement('span', {}, text);
  const heading = createElement('th', { scope }, content);
  if (className === 'unseen') content.className = className;
  else if (className !== '') heading.className = className;
  return heading;
}

/** Fixed widths: the columns do not move while rows are added. */
function createColumns(
  table: HTMLTableElement,
  header: readonly string[],
  rows: Rows['rows'],
  digits: number,
): HTMLElement {
  const widths = header.map((title, column) => {
    const longest = [title, ...rows.map((row) => row[column] ?? '')].reduce(
      (most, { length }) => Math.max(most, length),
      charactersMin,
    );
    return Math.min(charactersMax, longest);
  });
  const all = [digits, ...widths];
  const group = createElement('colgroup');
  for (const characters of all) {
    const column = createElement('col');
    column.style.width = `calc(${characters}ch + ${extraPixels}px)`;
    group.append(column);
  }
  const sum = all.reduce((total, characters) => total + characters, 0);
  table.style.width = `calc(${sum}ch + ${all.length * extraPixels}px)`;
  return group;
}

function isNumeric(cells: readonly string[]): boolean {
  const filled = cells.filter((cell) => cell.trim() !== '');
  return filled.length > 0 && filled.every((cell) => number.test(cell.trim()));
}
