/** A table of text cells with a header that stays visible. */
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
  const element = document.createElement('table');
  element.className = 'table';
  const caption = element.createCaption();
  caption.className = 'unseen';
  caption.textContent = name;
  const measured = rows.slice(0, measuredRows);
  const numeric = header.map((_, column) => isNumeric(measured.map((row) => row[column] ?? '')));
  element.append(createColumns(element, header, measured, String(rows.length).length));

  const headRow = element.createTHead().insertRow();
  headRow.append(createHeading('col', 'Row', 'unseen'));
  header.forEach((text, column) => {
    headRow.append(createHeading('col', text, numeric[column] ? 'number' : ''));
  });
  const body = element.createTBody();

  function addRows(begin: number): void {
    const added = rows.slice(begin, begin + batchRows).map((cells, index) => {
      const row = document.createElement('tr');
      row.append(createHeading('row', String(begin + index + 1)));
      header.forEach((_, column) => {
        const cell = row.insertCell();
        cell.textContent = cells[column] ?? '';
        if (numeric[column]) cell.className = 'number';
      });
      return row;
    });
    body.append(...added);
  }

  addRows(0);
  return {
    element,
    async fill() {
      for (let begin = batchRows; begin < rows.length; begin += batchRows) {
        await new Promise((resolve) => setTimeout(resolve));
        addRows(begin);
      }
    },
  };
}

function createHeading(scope: 'row' | 'col', text: string, className = ''): HTMLElement {
  const heading = document.createElement('th');
  heading.scope = scope;
  const content = document.createElement('span');
  content.textContent = text;
  if (className === 'unseen') content.className = className;
  else if (className !== '') heading.className = className;
  heading.append(content);
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
  const group = document.createElement('colgroup');
  for (const characters of all) {
    const column = document.createElement('col');
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
