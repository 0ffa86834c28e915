// The types of Office files whose first bytes only show a zip or a compound file.
import { expect } from 'vitest';
import { refineContainerType } from '../../../src/sharing/documents/content-type.ts';
import { docx, openDocument, paragraph, wordDocument } from '../../support/office-packages.ts';
import { itHoldsFor } from '../../support/rule.ts';
import { zipOf } from '../../support/zip-files.ts';

const zip = 'application/zip';
const compound = 'application/x-cfb';
const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const text = 'application/vnd.oasis.opendocument.text';

/** A compound file whose folder is in a sector and has these streams. */
function compoundFile(names: readonly string[], sector = 0, shift = 9): Buffer {
  const header = Buffer.alloc(512);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.writeUInt16LE(shift, 0x1e);
  header.writeUInt32LE(sector, 0x30);
  const folder = Buffer.alloc(1024);
  names.forEach((name, at) => {
    folder.write(name, at * 128, 'utf16le');
    folder.writeUInt16LE(2 * name.length + 2, at * 128 + 0x40);
  });
  return Buffer.concat([header, folder]);
}

/** Entries before the one that decides, which are longer than the inspected bytes. */
const media = { name: 'media/film', content: Buffer.alloc(300_000, 7), isStored: true };
const wordParts = [
  media,
  { name: 'word/document.xml', content: wordDocument(paragraph('Text')) },
  {
    name: '[Content_Types].xml',
    content: `<Types><Override ContentType="${word}.main+xml"/></Types>`,
  },
];
const broken = zipOf(wordParts);
broken.fill(0xff, broken.length - 12);

const cases: readonly [string, string, Buffer, string][] = [
  ['a zip file', zip, zipOf([media]), zip],
  ['a Word file', zip, docx(wordDocument(paragraph('Text'))), word],
  ['a Word file whose types are last', zip, zipOf(wordParts), word],
  ['an OpenDocument file', zip, openDocument('text', '<a/>'), text],
  ['a Word file with a wrong directory', zip, broken, word],
  ['a truncated zip file', zip, zipOf(wordParts).subarray(0, 200_000), zip],
  ['an empty zip file', zip, zipOf([]), zip],
  [
    'an old Word file',
    compound,
    compoundFile(['Root Entry', 'WordDocument']),
    'application/msword',
  ],
  ['an old Excel file', compound, compoundFile(['Workbook']), 'application/vnd.ms-excel'],
  ['an older Excel file', compound, compoundFile(['Book']), 'application/vnd.ms-excel'],
  [
    'an old PowerPoint file',
    compound,
    compoundFile(['Root Entry', 'PowerPoint Document']),
    'application/vnd.ms-powerpoint',
  ],
  ['an encrypted Word file', compound, compoundFile(['EncryptedPackage']), compound],
  ['a folder after the end', compound, compoundFile(['WordDocument'], 0xfffffffe), compound],
  ['sectors of a wrong size', compound, compoundFile(['WordDocument'], 0, 40), compound],
  ['a header alone', compound, compoundFile([]).subarray(0, 100), compound],
  ['another type', 'application/pdf', docx(wordDocument('')), 'application/pdf'],
];

itHoldsFor(cases, 16)('finds the type of the content', async (_, type, bytes, expected) => {
  let readBytes = 0;
  const read = async (start: number, end: number) => {
    expect(start >= 0 && end <= bytes.length && start < end).toBe(true);
    readBytes += end - start;
    return bytes.subarray(start, end);
  };
  const found = await refineContainerType(type, { sizeBytes: bytes.length, read });
  expect(found).toBe(expected);
  // Not the long entry.
  expect(readBytes).toBeLessThan(250_000);
});
