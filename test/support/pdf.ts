export interface PdfOptions {
  pages: number;
  /** Printable Latin-1; page n shows `<text>, page <n>`. */
  text: string;
  /** The minimum size of a page, so that a reader can show one page without fetching all. */
  pageBytes?: number;
  /** The exact size of the file; must be at least the size of its pages. */
  padToBytes?: number;
  /** Additional entries of the catalogue, in PDF syntax. */
  catalogue?: string;
  /** Annotations of every page, in PDF syntax. */
  annotations?: string;
}

/** A minimal valid PDF (ISO 32000-1). */
export function makePdf(options: PdfOptions): Buffer {
  const { pages, text, pageBytes = 0, padToBytes, catalogue = '', annotations = '' } = options;
  // Objects 1 to 3 are the catalogue, the page tree and the font. The pages follow, each with its
  // content.
  const pageNumbers = Array.from({ length: pages }, (_, index) => index + 1);
  const pageId = (page: number) => 2 + 2 * page;
  const kids = pageNumbers.map((page) => `${pageId(page)} 0 R`).join(' ');
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalogue}>>`,
    `<< /Type /Pages /Count ${pages} /Kids [${kids}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...pageNumbers.flatMap((page) => [
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] ' +
        `/Resources << /Font << /F1 3 0 R >> >> /Contents ${pageId(page) + 1} 0 R ` +
        `/Annots [${annotations}] >>`,
      contentStream(`${text}, page ${page}`, pageBytes),
    ]),
  ];

  const unpadded = layOut(objects, padToBytes === undefined ? undefined : 0);
  if (padToBytes === undefined) return unpadded;
  const padding = padToBytes - unpadded.length;
  if (padding < 0) throw new RangeError(`The pages alone need ${unpadded.length} bytes`);
  return layOut(objects, padding);
}

/**
 * Pads with an unreferenced stream. With white space, a reader that fetches ranges would search all
 * of it for the next token after the last object.
 */
export function layOut(pageObjects: string[], padding?: number, trailer = ''): Buffer {
  const filler = (bytes: number) =>
    `<< /Length ${tenDigits(bytes)} >>\nstream\n${'x'.repeat(bytes)}\nendstream`;
  const objects = padding === undefined ? pageObjects : [...pageObjects, filler(padding)];
  const offsets: number[] = [];
  // The second line marks the file as binary for file-transfer tools (§7.5.2).
  let body = '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n';
  objects.forEach((object, index) => {
    offsets.push(body.length);
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
  });
  return Buffer.from(body + tail(offsets, body.length, trailer), 'latin1');
}

function contentStream(line: string, bytesMin: number): string {
  if (!/^[ -~\xa0-\xff]*$/.test(line)) throw new RangeError('The text must be printable Latin-1');
  const literal = line.replace(/[\\()]/g, '\\$&');
  const content = `BT /F1 24 Tf 72 720 Td (${literal}) Tj ET\n%`.padEnd(bytesMin, 'x');
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

/**
 * Cross-reference table and trailer (§7.5.4, §7.5.5). Their length does not depend on the offsets.
 */
function tail(objectOffsets: number[], tableOffset: number, more: string): string {
  const size = objectOffsets.length + 1;
  const entries = objectOffsets.map((offset) => `${tenDigits(offset)} 00000 n \n`).join('');
  return (
    `xref\n0 ${size}\n0000000000 65535 f \n${entries}` +
    `trailer\n<< /Size ${size} /Root 1 0 R ${more}>>\n` +
    `startxref\n${tenDigits(tableOffset)}\n%%EOF\n`
  );
}

function tenDigits(offset: number): string {
  return String(offset).padStart(10, '0');
}
