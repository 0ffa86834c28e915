// A realistic report: the document of the README's tour and screenshots.
import { layOut } from './pdf.ts';

type Pen = {
  text(x: number, y: number, size: number, line: string, bold?: boolean): void;
  box(x: number, y: number, width: number, height: number, colour: string): void;
};

/** Red, green and blue, each from 0 to 1. */
const colours = { accent: '0.11 0.36 0.72', pale: '0.80 0.87 0.96', line: '0.85 0.87 0.90' };
const left = 72;

const summary = [
  'Revenue grew by eleven percent over the quarter before, most of it from',
  'customers who have been with us for more than a year. Costs grew more',
  'slowly, by four percent. Cash at the end of the quarter covers eighteen',
  'months at the present rate.',
];
const outlook = [
  'We expect the next quarter to follow the same line. Two larger contracts',
  'are being signed, and the second office opens in spring. The figures of',
  'the following pages are not audited.',
];

/** The quarterly report of an example company: an A4 document of four pages. */
export function makeReport(): Buffer {
  const pages = [cover, ...['Revenue', 'Costs', 'Cash'].map(figures)].map(draw);
  const pageId = (index: number) => 5 + 2 * index;
  const font = (name: string) =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  const kids = pages.map((_, index) => `${pageId(index)} 0 R`).join(' ');
  return layOut([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`,
    font('Helvetica'),
    font('Helvetica-Bold'),
    ...pages.flatMap((content, index) => [
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources ' +
        `<< /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents ${pageId(index) + 1} 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ]);
}

function draw(paint: (pen: Pen) => void, index: number): string {
  const operators: string[] = [];
  const pen: Pen = {
    text(x, y, size, line, bold = false) {
      const literal = line.replace(/[\\()]/g, '\\$&');
      operators.push(`0.10 0.14 0.19 rg BT /F${bold ? 2 : 1} ${size} Tf ${x} ${y} Td`);
      operators.push(`(${literal}) Tj ET`);
    },
    box: (x, y, width, height, colour) =>
      operators.push(`${colour} rg ${x} ${y} ${width} ${height} re f`),
  };
  paint(pen);
  pen.text(left, 48, 9, `Example Ltd   -   Quarterly report   -   ${index + 1}`);
  return operators.join('\n');
}

function cover(pen: Pen): void {
  pen.box(left, 752, 48, 6, colours.accent);
  pen.text(left, 704, 30, 'Quarterly report', true);
  pen.text(left, 678, 13, 'Example Ltd   -   Third quarter');
  pen.text(left, 624, 15, 'Summary', true);
  paragraph(pen, 600, summary);
  bars(pen, 352);
  pen.text(left, 304, 15, 'Outlook', true);
  paragraph(pen, 280, outlook);
}

function figures(title: string) {
  return (pen: Pen) => {
    pen.box(left, 752, 48, 6, colours.accent);
    pen.text(left, 704, 24, title, true);
    bars(pen, 500);
    const months = ['July', 'August', 'September'];
    months.forEach((month, row) => {
      const y = 440 - row * 28;
      pen.text(left, y, 11, month);
      pen.text(400, y, 11, `${(title.length + row) * 112},000`, true);
      pen.box(left, y - 10, 451, 0.7, colours.line);
    });
    paragraph(pen, 330, outlook);
  };
}

function paragraph(pen: Pen, top: number, lines: readonly string[]): void {
  lines.forEach((line, index) => {
    pen.text(left, top - index * 18, 11.5, line);
  });
}

function bars(pen: Pen, bottom: number): void {
  [62, 74, 70, 88, 96, 112, 108, 131].forEach((height, index) => {
    const colour = index < 5 ? colours.pale : colours.accent;
    pen.box(left + index * 57, bottom, 40, height, colour);
  });
  pen.box(left, bottom - 1, 451, 1, colours.line);
}
