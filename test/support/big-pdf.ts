// A linearised PDF (ISO 32000-1 Annex F) of 100 MB: a first page of text, then pages of pictures.
import { Readable } from 'node:stream';

const pieceBytes = 1_000_000;
/** 8-bit greyscale: one byte per pixel. */
const pictureSide = 2000;
const pictureBytes = pictureSide * pictureSide;
const pictures = 24;
/** The number of pages in one node of the page tree, as common PDF writers group them. */
const groupSize = 6;

export type BigPdf = {
  readonly bytes: number;
  /** The text on its first page. */
  readonly text: string;
  /** Yields the file piece by piece, so that it is never in memory as a whole. */
  read(): Readable;
};

type Piece = string | { readonly fill: number };

export function makeBigPdf(): BigPdf {
  const text = 'The first of many pages';
  const content = `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`;
  // Object numbers: picture pages and shared objects come first, the first page's objects last.
  const pageId = (index: number) => 2 + 3 * index;
  const first = pageId(pictures);
  const ids = { dictionary: first, catalogue: first + 1, page: first + 2, content: first + 3 };
  const tree = 1;
  const font = first + 4;
  const size = first + 5 + pictures / groupSize;
  const groupIds = Array.from({ length: pictures / groupSize }, (_, index) => first + 5 + index);
  const early: [number, Piece[]][] = [
    [ids.catalogue, [`<< /Type /Catalog /Pages ${tree} 0 R >>`]],
    [ids.page, [page(tree, `/Font << /F1 ${font} 0 R >>`, ids.content)]],
    [ids.content, stream('', [content])],
    [font, ['<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>']],
  ];
  const list = (numbers: number[]) => numbers.map((number) => `${number} 0 R`).join(' ');
  const late: [number, Piece[]][] = [
    [tree, [`<< /Type /Pages /Count ${pictures + 1} /Kids [${list([ids.page, ...groupIds])}] >>`]],
    ...Array.from({ length: pictures }, (_, index) => {
      const group = groupIds[Math.floor(index / groupSize)] ?? tree;
      return picturePage(group, pageId(index));
    }).flat(),
  ];
  const groups = groupIds.map((id, group): [number, Piece[]] => {
    const kids = Array.from({ length: groupSize }, (_, k) => pageId(group * groupSize + k));
    const facts = `/Type /Pages /Parent ${tree} 0 R /Count ${groupSize}`;
    return [id, [`<< ${facts} /Kids [${list(kids)}] >>`]];
  });
  early.push(...groups);
  return assemble({ text, size, dictionaryId: ids.dictionary, pageId: ids.page, early, late });
}

type Parts = {
  readonly text: string;
  readonly size: number;
  readonly dictionaryId: number;
  readonly pageId: number;
  readonly early: [number, Piece[]][];
  readonly late: [number, Piece[]][];
};

function assemble({ text, size, dictionaryId, pageId, early, late }: Parts): BigPdf {
  const header = '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n';
  const dictionary = (length: number, end: number, table: number) =>
    `${dictionaryId} 0 obj\n<< /Linearized 1 /L ${digits(length)} ` +
    `/H [${digits(header.length)} 1] /O ${pageId} ` +
    `/E ${digits(end)} /N ${pictures + 1} /T ${digits(table)} >>\nendobj\n`;
  const firstTable = header.length + dictionary(0, 0, 0).length;
  const firstTableBytes = tableOf([...early.map(() => 0), 0], dictionaryId, size, 0).length;
  const earlyOffsets = offsetsOf(early, firstTable + firstTableBytes);
  const lateOffsets = offsetsOf(late, earlyOffsets.end);
  const mainTable = lateOffsets.end;
  const pieces: Piece[] = [
    header,
    '',
    tableOf([header.length, ...earlyOffsets.starts], dictionaryId, size, mainTable),
    ...early.flatMap(objectOf),
    ...late.flatMap(objectOf),
    `xref\n0 ${dictionaryId}\n0000000000 65535 f \n${entries(lateOffsets.starts)}` +
      `trailer\n<< /Size ${dictionaryId} >>\nstartxref\n${digits(firstTable)}\n%%EOF\n`,
  ];
  const bytes = bytesOf(pieces) + dictionary(0, 0, 0).length;
  pieces[1] = dictionary(bytes, earlyOffsets.end, mainTable);
  return { bytes, text, read: () => Readable.from(generate(pieces)) };
}

function picturePage(tree: number, id: number): [number, Piece[]][] {
  const facts =
    `/Type /XObject /Subtype /Image /Width ${pictureSide} /Height ${pictureSide} ` +
    '/ColorSpace /DeviceGray /BitsPerComponent 8 ';
  return [
    [id, [page(tree, `/XObject << /Im ${id + 2} 0 R >>`, id + 1)]],
    [id + 1, stream('', ['500 0 0 500 48 171 cm /Im Do'])],
    [id + 2, stream(facts, [{ fill: pictureBytes }])],
  ];
}

function page(tree: number, resources: string, content: number): string {
  return (
    `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 595 842] ` +
    `/Resources << ${resources} >> /Contents ${content} 0 R >>`
  );
}

function stream(facts: string, content: Piece[]): Piece[] {
  return [`<< ${facts}/Length ${bytesOf(content)} >>\nstream\n`, ...content, '\nendstream'];
}

function objectOf([id, pieces]: [number, Piece[]]): Piece[] {
  return [`${id} 0 obj\n`, ...pieces, '\nendobj\n'];
}

function offsetsOf(objects: [number, Piece[]][], begin: number) {
  let end = begin;
  const starts = objects.map((object) => {
    const start = end;
    end += bytesOf(objectOf(object));
    return start;
  });
  return { starts, end };
}

/** The cross-reference table of the first page, which refers to the main table. */
function tableOf(offsets: number[], firstId: number, size: number, mainTable: number): string {
  return (
    `xref\n${firstId} ${offsets.length}\n${entries(offsets)}trailer\n<< /Size ${size} ` +
    `/Root ${firstId + 1} 0 R /Prev ${digits(mainTable)} >>\nstartxref\n0\n%%EOF\n`
  );
}

const digits = (offset: number) => String(offset).padStart(10, '0');
const entries = (offsets: number[]) => offsets.map((at) => `${digits(at)} 00000 n \n`).join('');
const lengthOf = (piece: Piece) => (typeof piece === 'string' ? piece.length : piece.fill);
const bytesOf = (pieces: Piece[]) => pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);

function* generate(pieces: Piece[]): Generator<Buffer> {
  const grey = Buffer.alloc(pieceBytes, 0xcc);
  for (const piece of pieces) {
    if (typeof piece === 'string') yield Buffer.from(piece, 'latin1');
    else for (let left = piece.fill; left > 0; left -= pieceBytes) yield grey.subarray(0, left);
  }
}
