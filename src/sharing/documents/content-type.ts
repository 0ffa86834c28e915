// Detects the content type of an upload. See docs/decisions/0021.
import { fileTypeFromBlob, fileTypeFromBuffer } from 'file-type';
import { detectEncoding, type TextEncoding } from '../../base/http/text-encoding.ts';
import { isInert } from '../../base/http/viewer-kinds.ts';

/** The first bytes of a file that decide its type. file-type needs at most this many. */
export const inspectedBytesMax = 4_100;

export type FileFacts = {
  readonly names: readonly string[];
  readonly declared: string;
  readonly isWhole: boolean;
};

const opaque = 'application/octet-stream';
const xml = 'application/xml';

/** Files of these types contain control characters; a text may begin like one (`BM`). */
const notText = /^(application\/xml$|(audio|font|image|video)\/)/;

/** Only for a text do its name and the declared type choose between types. */
export async function detectContentType(head: Buffer, facts: FileFacts): Promise<string> {
  const encoding = detectEncoding(head, facts.isWhole);
  const text = decodeText(head, encoding, facts.isWhole);
  // file-type reads the byte order mark of UTF-16 as the start of an MPEG frame.
  const isUtf16 = text !== undefined && encoding.startsWith('utf-16');
  const sniffed = isUtf16 ? undefined : (await fileTypeFromBuffer(head))?.mime;
  // Binary data can be valid Windows-1252, so that a signature decides.
  const isText = sniffed === undefined || (encoding !== 'windows-1252' && notText.test(sniffed));
  if (text !== undefined && isText) {
    return textTypeOf(text, facts, sniffed === xml ? xml : 'text/plain');
  }
  return sniffed === undefined || (isInert(sniffed) && isLikeHtml(head)) ? opaque : sniffed;
}

/** A signature after the first byte can hide HTML (WHATWG MIME Sniffing §7.1): not inline. */
const isLikeHtml = (head: Buffer) => /^(\xef\xbb\xbf)?\s*</.test(head.toString('latin1'));

/**
 * Control characters other than tab, line feed, form feed and carriage return, and the bytes that
 * Windows-1252 does not define.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they distinguish text from binary data
const control = /[\x00-\x08\x0b\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]/;

/** Binary data, and texts in Cyrillic and Asian encodings. Western words have single ones. */
const nonAsciiRun = /[\x80-\xff]{4}/;

function decodeText(head: Buffer, encoding: TextEncoding, isWhole: boolean): string | undefined {
  const decoder = new TextDecoder(encoding, { fatal: true });
  if (encoding === 'windows-1252' && nonAsciiRun.test(head.toString('latin1'))) return undefined;
  try {
    // The end of the inspected bytes can divide a character.
    const text = decoder.decode(head, { stream: !isWhole });
    return control.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

const typesByExtension: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  geojson: 'application/json',
  json: 'application/json',
  markdown: 'text/markdown',
  md: 'text/markdown',
  svg: 'image/svg+xml',
  tsv: 'text/tab-separated-values',
};

const typesByDeclaration: Readonly<Record<string, string>> = {
  'application/csv': 'text/csv',
  'application/json': 'application/json',
  'image/svg+xml': 'image/svg+xml',
  'text/csv': 'text/csv',
  'text/json': 'application/json',
  'text/markdown': 'text/markdown',
  'text/tab-separated-values': 'text/tab-separated-values',
  'text/x-markdown': 'text/markdown',
};

/** A name with an extension decides alone: the declared type is often wrong. */
function textTypeOf(text: string, { names, declared }: FileFacts, plain: string): string {
  const extension = names.map(extensionOf).find((found) => found !== '');
  const [mediaType = ''] = declared.toLowerCase().split(';');
  const type =
    extension === undefined ? typesByDeclaration[mediaType.trim()] : typesByExtension[extension];
  return type === undefined || (type === 'image/svg+xml' && !isSvg(text)) ? plain : type;
}

/** Returns an empty string for a name without an extension, such as `.profile`. */
const extensionOf = (name: string) =>
  /[^./\\]\.(\w{1,16})$/.exec(name.trim())?.[1]?.toLowerCase() ?? '';

const comments = /(?:<!--(?:(?!-->)[\s\S])*-->\s*)*/;
const declaration = /(?:<\?xml[^>]*>\s*)?/;
const documentType = /(?:<!doctype svg(?:[^>[]|\[[^\]]*\])*>\s*)?/;
const beforeRoot = [declaration, comments, documentType, comments].map(({ source }) => source);
const svgStart = new RegExp(`^\\s*${beforeRoot.join('')}<svg[\\s>]`, 'i');

/** Whether the root element is `svg`, after a declaration, comments and a document type. */
const isSvg = (text: string) => svgStart.test(text);

/** A stored file. Reads the bytes from `start` up to `end`. */
export type RandomAccess = {
  readonly sizeBytes: number;
  read(start: number, end: number): Promise<Buffer>;
};

const zip = 'application/zip';
const compound = 'application/x-cfb';

/**
 * Returns a more specific type than the container's, if there is one. The first bytes of an Office
 * file only show its container: in a zip file the entry that decides can be the last, and a
 * compound file has a folder of streams.
 */
export async function refineContainerType(type: string, file: RandomAccess): Promise<string> {
  if (type === zip) return refineZip(file);
  if (type === compound) return (await findCompoundType(file)) ?? type;
  return type;
}

/** file-type reads a zip file in small parts. */
const windowBytes = 65_536;

async function refineZip(file: RandomAccess): Promise<string> {
  const size = file.sizeBytes;
  let loaded: { start: number; bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) };
  async function read(start: number, end: number): Promise<Buffer> {
    const isLoaded = start >= loaded.start && end <= loaded.start + loaded.bytes.length;
    if (!isLoaded) {
      const to = Math.min(size, Math.max(end, start + windowBytes));
      loaded = { start, bytes: await file.read(start, to) };
    }
    return loaded.bytes.subarray(start - loaded.start, end - loaded.start);
  }
  const slice = (start: number, end: number) => ({
    arrayBuffer: async () => Uint8Array.from(await read(start, Math.min(end, size))).buffer,
  });
  // The part of a Blob that file-type uses. With it, file-type reads the central directory.
  const blob = { size, type: '', slice } as unknown as Blob;
  try {
    return (await fileTypeFromBlob(blob))?.mime ?? zip;
  } catch {
    return zip;
  }
}

/** The names of the main streams ([MS-DOC] 2.1, [MS-XLS] 2.1, [MS-PPT] 2.1). */
const streamTypes: ReadonlyMap<string, string> = new Map([
  ['WordDocument', 'application/msword'],
  ['Workbook', 'application/vnd.ms-excel'],
  ['Book', 'application/vnd.ms-excel'],
  ['PowerPoint Document', 'application/vnd.ms-powerpoint'],
]);

/** The sizes of [MS-CFB] 2.2 and 2.6.1. */
const headerBytes = 512;
const entryBytes = 128;
/** The main stream is usually among the first entries. */
const entriesMax = 32;

async function findCompoundType({ sizeBytes, read }: RandomAccess): Promise<string | undefined> {
  if (sizeBytes < headerBytes) return undefined;
  const header = await read(0, headerBytes);
  const sectorShift = header.readUInt16LE(0x1e);
  if (sectorShift !== 9 && sectorShift !== 12) return undefined;
  const start = (header.readUInt32LE(0x30) + 1) * 2 ** sectorShift;
  const end = Math.min(sizeBytes, start + entriesMax * entryBytes);
  if (start >= end) return undefined;
  const directory = await read(start, end);
  for (let at = 0; at + entryBytes <= directory.length; at += entryBytes) {
    const nameBytes = directory.readUInt16LE(at + 0x40);
    if (nameBytes < 2 || nameBytes > 64) continue;
    const name = directory.toString('utf16le', at, at + nameBytes - 2);
    const type = streamTypes.get(name);
    if (type !== undefined) return type;
  }
  return undefined;
}
