// A presentation: landscape pages with a title, each with a picture if wanted.
import { layOut } from './pdf.ts';

export type DeckOptions = {
  readonly pages: number;
  /** The pixels of the picture on each page, in 8-bit grey: one byte each. */
  readonly picture?: { readonly width: number; readonly height: number };
};

/** Page n shows "Slide n". The pictures are not compressed. */
export function makeDeck({ pages, picture }: DeckOptions): Buffer {
  const first = 4;
  const perPage = picture ? 3 : 2;
  const pageId = (index: number) => first + index * perPage;
  const indexes = Array.from({ length: pages }, (_, index) => index);
  const kids = indexes.map((index) => `${pageId(index)} 0 R`).join(' ');
  return layOut([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages} /Kids [${kids}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...indexes.flatMap((index) => {
      const id = pageId(index);
      const images = picture ? `/XObject << /P ${id + 2} 0 R >>` : '';
      const draw = picture ? 'q 800 0 0 300 80 40 cm /P Do Q ' : '';
      const content = `${draw}BT /F1 48 Tf 80 440 Td (Slide ${index + 1}) Tj ET`;
      const objects = [
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 960 540] ' +
          `/Resources << /Font << /F1 3 0 R >> ${images} >> /Contents ${id + 1} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
      return picture ? [...objects, pictureObject(picture)] : objects;
    }),
  ]);
}

function pictureObject({ width, height }: { width: number; height: number }): string {
  const facts = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height}`;
  const pixels = 'g'.repeat(width * height);
  return (
    `<< ${facts} /ColorSpace /DeviceGray /BitsPerComponent 8 /Length ${pixels.length} >>\n` +
    `stream\n${pixels}\nendstream`
  );
}
