// A presentation: landscape pages with a title and an entry in the outline each.
import { layOut } from './pdf.ts';

export type DeckOptions = {
  readonly pages: number;
  /** The pixels of the picture on each page, in 8-bit grey: one byte each. */
  readonly picture?: { readonly width: number; readonly height: number };
};

/** Page n shows "Slide n"; its entry is "Chapter n". The pictures are not compressed. */
export function makeDeck({ pages, picture }: DeckOptions): Buffer {
  const first = 4;
  const perPage = picture ? 3 : 2;
  const pageId = (index: number) => first + index * perPage;
  const outline = first + pages * perPage;
  const indexes = Array.from({ length: pages }, (_, index) => index);
  const kids = indexes.map((index) => `${pageId(index)} 0 R`).join(' ');
  return layOut([
    `<< /Type /Catalog /Pages 2 0 R /Outlines ${outline} 0 R >>`,
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
    `<< /Type /Outlines /First ${outline + 1} 0 R /Last ${outline + pages} 0 R >>`,
    ...indexes.map((index) => {
      const next = index + 1 < pages ? `/Next ${outline + index + 2} 0 R` : '';
      const place = `/Dest [${pageId(index)} 0 R /Fit]`;
      return `<< /Title (Chapter ${index + 1}) /Parent ${outline} 0 R ${next} ${place} >>`;
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
