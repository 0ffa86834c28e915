// PDFs that attack their reader, or that cannot be read.
import { deflateSync } from 'node:zlib';
import { makePdf } from './pdf.ts';

/** A PDF of these objects, numbered from 1, with these trailer entries. */
function pdfOf(objects: readonly (string | Buffer)[], trailer: string): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let size = 9;
  const add = (text: string | Buffer) => {
    const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
    parts.push(bytes);
    size += bytes.length;
  };
  objects.forEach((object, i) => {
    offsets.push(size);
    add(`${i + 1} 0 obj\n`);
    add(object);
    add('\nendobj\n');
  });
  const start = size;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join('')}`);
  add(`trailer\n<< /Size ${objects.length + 1} ${trailer} >>\nstartxref\n${start}\n%%EOF\n`);
  return Buffer.concat(parts);
}

function stream(dictionary: string, bytes: Buffer): Buffer {
  const head = Buffer.from(`<< ${dictionary} /Length ${bytes.length} >>\nstream\n`);
  return Buffer.concat([head, bytes, Buffer.from('\nendstream')]);
}

/** A PDF whose cross-reference stream is its only object. */
function pdfOfXref(dictionary: string, bytes: Buffer): Buffer {
  const head = Buffer.from('%PDF-1.7\n');
  const xref = stream(`/Type /XRef /Root 2 0 R ${dictionary}`, bytes);
  const tail = `\nendobj\nstartxref\n${head.length}\n%%EOF\n`;
  return Buffer.concat([head, Buffer.from('1 0 obj\n'), xref, Buffer.from(tail)]);
}

const catalogue = '<< /Type /Catalog /Pages 2 0 R >>';
const good = makePdf({ pages: 4, text: 'Terms' });

function changed(from: string, to: string): Buffer {
  const text = good.toString('latin1');
  if (!text.includes(from)) throw new Error(`the PDF has no ${from}`);
  return Buffer.from(text.replace(from, to), 'latin1');
}

const zeros = `<${'00'.repeat(32)}>`;
const lock = `/Filter /Standard /V 1 /R 2 /P -4 /O ${zeros} /U ${zeros}`;
const password = `/ID [<00> <00>] /Encrypt << ${lock} >>`;

/** Fast to read, but without a page count. */
export const unreadablePdfs: [what: string, pdf: Buffer][] = [
  ['only its first line', Buffer.from('%PDF-1.7\n')],
  ['garbage after its first line', Buffer.from(`%PDF-1.7\n${'\u0000\u00ff<<[('.repeat(5000)}`)],
  ['only its first half', good.subarray(0, good.length / 2)],
  ['no catalogue', changed('/Root 1 0 R', '/Root 9 9 R')],
  [
    'a password',
    pdfOf([catalogue, '<< /Type /Pages /Kids [] /Count 3 >>'], `/Root 1 0 R ${password}`),
  ],
  ['a negative count', changed('/Count 4', '/Count -4')],
  ['an unknown encryption', changed('/Root 1 0 R', '/Root 1 0 R /Encrypt << /Filter /Mine >>')],
];

/** Contain false claims about the file. The count is correct, as the viewer would show it. */
export const lyingPdfs: [what: string, pdf: Buffer, pages: number][] = [
  ['that claims a million pages', changed('/Count 4', '/Count 1000000'), 4],
  ['with a wrong offset of its cross-reference table', changed('startxref\n0', 'startxref\n9'), 4],
];

const claim = '/Type /Pages /Count 1000000000';
const loop = (kids: string) =>
  pdfOf(
    [catalogue, `<< ${claim} /Kids [${kids}] >>`, `<< ${claim} /Parent 2 0 R /Kids [2 0 R] >>`],
    '/Root 1 0 R',
  );

export const loopingPdfs: [what: string, pdf: Buffer][] = [
  ['is its own page', loop('2 0 R')],
  ['has an object that contains its parent', loop('3 0 R')],
  ['has a cross-reference table that refers to itself', changed('/Size', '/Prev 0000000000 /Size')],
  [
    'lists two billion objects in zero bytes',
    pdfOfXref('/Size 2147483647 /W [0 0 0] /Index [0 2147483647]', Buffer.from('x')),
  ],
  [
    'is nested in a hundred thousand arrays',
    pdfOf([catalogue, `${'['.repeat(100_000)}`], '/Root 1 0 R'),
  ],
  [
    'is nested in a hundred thousand dictionaries',
    pdfOf([catalogue, `${'<</A '.repeat(100_000)}`], '/Root 1 0 R'),
  ],
];

/** Lists the same thousand objects two million times. */
export const endlessPdf = (): Buffer =>
  pdfOfXref(`/Size 10 /W [0 0 0] /Index [${'0 1000 '.repeat(2_000_000)}]`, Buffer.from('x'));

/** Its catalogue is in an object stream that unpacks to 256 MiB. */
export function bombPdf(): Buffer {
  const sizeBytes = 256 * 1024 ** 2;
  const bomb = deflateSync(deflateSync(Buffer.alloc(sizeBytes, '2 0 '), { level: 1 }));
  const first = '%PDF-1.7\n1 0 obj\n';
  const filter = '/Filter [/FlateDecode /FlateDecode]';
  const dictionary = `/Type /ObjStm /N ${sizeBytes / 4} /First 0 ${filter}`;
  const objects = Buffer.concat([stream(dictionary, bomb), Buffer.from('\nendobj\n')]);
  const tableAt = first.length + objects.length;
  // Each entry: the kind of location, then the offset or the stream, then the index in it.
  const entries = [
    [0, 0, 0],
    [1, 9, 0],
    [2, 1, 0],
    [1, tableAt, 0],
  ] as const;
  const table = Buffer.alloc(entries.length * 6);
  entries.forEach(([kind, at, index], i) => {
    table.writeUInt8(kind, i * 6);
    table.writeUInt32BE(at, i * 6 + 1);
    table.writeUInt8(index, i * 6 + 5);
  });
  const xref = stream('/Type /XRef /Size 4 /W [1 4 1] /Root 2 0 R', table);
  const rest = `\nendobj\nstartxref\n${tableAt}\n%%EOF\n`;
  return Buffer.concat([
    Buffer.from(first),
    objects,
    Buffer.from('3 0 obj\n'),
    xref,
    Buffer.from(rest),
  ]);
}
