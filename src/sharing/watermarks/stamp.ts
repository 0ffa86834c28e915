// Writes a line across each page of a PDF (ISO 32000-1), or of a PDF that is made from an image.
import {
  degrees,
  ParseSpeeds,
  PDFArray,
  PDFDict,
  PDFDocument,
  type PDFFont,
  PDFName,
  type PDFObject,
  type PDFPage,
  type PDFRef,
  PDFStream,
  StandardFonts,
} from '@cantoo/pdf-lib';
import { JPG } from 'image-size/types/jpg';
import type { StampOrder } from './messages.ts';

/** Points per pixel of an image: 96 pixels per inch. */
const imageScale = 0.75;
/** The largest width and height of a page, in points (annex C.2). */
const pagePointsMax = 14_400;

const slope = Math.PI / 6;
const fontPointsMax = 28;
/** The centres of the lines, as shares of the height of the page. */
const lineCentres = [1 / 4, 1 / 2, 3 / 4];
/** Of the line at the bottom, which programs can read. */
const bottomPointsMax = 8;

/** Black letters with white outlines, which show on every colour. */
const opacity = { letters: 0.25, outlines: 0.35 };
const outlineWidth = 0.05;

/** Throws if the file is encrypted or damaged. */
export async function stamp(bytes: Uint8Array, order: StampOrder): Promise<Uint8Array> {
  const isPdf = order.contentType === 'application/pdf';
  const pdf = isPdf ? await openPdf(bytes, order.pages) : await imagePdf(bytes, order.contentType);
  const font = await pdf.embedFont(StandardFonts.Helvetica);
  stampPages(pdf, createMark(pdf, font, printable(order.text)));
  return pdf.save({ updateFieldAppearances: false, objectsPerTick: Infinity });
}

async function openPdf(bytes: Uint8Array, pages: number): Promise<PDFDocument> {
  const parseSpeed = ParseSpeeds.Fastest;
  const pdf = await PDFDocument.load(bytes, { parseSpeed, updateMetadata: false });
  const count = pdf.getPageCount();
  if (count === 0 || (pages > 0 && count !== pages)) throw new Error('The PDF lacks pages.');
  return pdf;
}

/** The font has the characters of WinAnsiEncoding. */
const printable = (text: string) => text.replace(/[^\x20-\x7e\xb7]/g, '?');

/** A rotation, after the mirroring of the columns, by the `Orientation` of Exif 2.32 (§4.6.4). */
const orientations: Readonly<Record<number, readonly [angle: number, isMirrored: boolean]>> = {
  2: [0, true],
  3: [180, false],
  4: [180, true],
  5: [270, true],
  6: [90, false],
  7: [90, true],
  8: [270, false],
};

async function imagePdf(bytes: Uint8Array, contentType: string): Promise<PDFDocument> {
  const pdf = await PDFDocument.create();
  const isJpeg = contentType === 'image/jpeg';
  const image = isJpeg ? await pdf.embedJpg(bytes) : await pdf.embedPng(bytes);
  const { orientation = 1 } = isJpeg ? JPG.calculate(bytes) : {};
  const [angle, isMirrored] = orientations[orientation] ?? [0, false];
  const scale = Math.min(imageScale, pagePointsMax / Math.max(image.width, image.height));
  const [width, height] = [image.width * scale, image.height * scale];
  const page = pdf.addPage([width, height]);
  page.drawImage(image, {
    ...{ x: isMirrored ? width : 0, y: 0 },
    ...{ width: isMirrored ? -width : width, height },
  });
  page.setRotation(degrees(angle));
  return pdf;
}

type Size = { readonly width: number; readonly height: number };

/** Returns the form XObject (§8.10) with the lines for a page as a reader sees it. */
function createMark(pdf: PDFDocument, font: PDFFont, text: string): (size: Size) => PDFRef {
  const { context } = pdf;
  const codes = font.encodeText(text).toString();
  const widthOfPoint = font.widthOfTextAtSize(text, 1);
  const state = context.register(
    context.obj({ Type: 'ExtGState', ca: opacity.letters, CA: opacity.outlines }),
  );
  const [cos, sin] = [Math.cos(slope), Math.sin(slope)].map(shortNumber);
  return ({ width, height }) => {
    // A quarter of the height above and below the centre of a line.
    const lengthMax = Math.min(width / Math.cos(slope), height / 2 / Math.sin(slope));
    const points = Math.min(fontPointsMax, (0.9 * lengthMax) / widthOfPoint);
    const half = (points * widthOfPoint) / 2;
    const lines = lineCentres.map((share) => {
      const x = shortNumber(width / 2 - half * Math.cos(slope));
      const y = shortNumber(height * share - half * Math.sin(slope));
      return `${cos} ${sin} -${sin} ${cos} ${x} ${y} Tm ${codes} Tj`;
    });
    const small = Math.min(bottomPointsMax, (0.9 * width) / widthOfPoint);
    const left = shortNumber((width - small * widthOfPoint) / 2);
    lines.push(
      `0 Tr /Font ${shortNumber(small)} Tf 1 0 0 1 ${left} ${shortNumber(small)} Tm ${codes} Tj`,
    );
    const content =
      '/Artifact << /Type /Pagination /Subtype /Watermark >> BDC q /State gs ' +
      `0 g 1 G ${shortNumber(points * outlineWidth)} w 2 Tr BT ` +
      `/Font ${shortNumber(points)} Tf ${lines.join(' ')} ET Q EMC`;
    const form = context.flateStream(content, {
      Type: 'XObject',
      Subtype: 'Form',
      BBox: [0, 0, width, height],
      Resources: { Font: { Font: font.ref }, ExtGState: { State: state } },
    });
    return context.register(form);
  };
}

const shortNumber = (value: number) => value.toFixed(4);

function stampPages(pdf: PDFDocument, createForm: (size: Size) => PDFRef): void {
  const { context } = pdf;
  const forms = new Map<string, PDFRef>();
  const formOf = (size: Size) => {
    const key = `${size.width} ${size.height}`;
    const form = forms.get(key) ?? createForm(size);
    forms.set(key, form);
    return form;
  };
  const [push, pop] = ['q', 'Q'].map((operator) => context.register(context.stream(operator)));
  // A tree of pages can contain a page twice.
  for (const page of new Set(pdf.getPages())) {
    const { size, matrix } = viewOf(page);
    const name = addForm(formsOf(page), formOf(size));
    const { node } = page;
    const drawing = context.stream(`q ${matrix.map(shortNumber).join(' ')} cm ${name} Do Q`);
    const content = [push, ...contentOf(page), pop, context.register(drawing)];
    node.set(PDFName.of('Contents'), context.obj(content as PDFObject[]));
  }
}

function contentOf({ node }: PDFPage): PDFObject[] {
  const named = node.get(PDFName.of('Contents'));
  const content = node.context.lookup(named);
  if (content instanceof PDFArray) return content.asArray();
  return content instanceof PDFStream && named !== undefined ? [named] : [];
}

/**
 * Adds the form, and returns its name. A file that was stamped before already uses some of these
 * names.
 */
function addForm(forms: PDFDict, ref: PDFRef): PDFName {
  for (let i = 0; ; i++) {
    const name = PDFName.of(`LatchkeyMark${i}`);
    const other = forms.get(name);
    if (other !== undefined && other !== ref) continue;
    forms.set(name, ref);
    return name;
  }
}

/** The form XObjects of a page. Other pages may share them. */
function formsOf({ node }: PDFPage): PDFDict {
  const { context } = node;
  const inherited = node.getInheritableAttribute(PDFName.of('Resources'));
  const resources = context.lookupMaybe(inherited, PDFDict) ?? context.obj({});
  if (inherited === undefined) node.set(PDFName.of('Resources'), resources);
  const forms = resources.lookupMaybe(PDFName.of('XObject'), PDFDict) ?? context.obj({});
  if (!resources.has(PDFName.of('XObject'))) resources.set(PDFName.of('XObject'), forms);
  return forms;
}

/** The visible part of a page, and the matrix from its upright form (§8.3.4, §14.11.2). */
function viewOf(page: PDFPage): { readonly size: Size; readonly matrix: readonly number[] } {
  const [media, crop] = [page.getMediaBox(), page.getCropBox()];
  const left = Math.max(media.x, crop.x);
  const bottom = Math.max(media.y, crop.y);
  const width = Math.min(media.x + media.width, crop.x + crop.width) - left;
  const height = Math.min(media.y + media.height, crop.y + crop.height) - bottom;
  if (!(width > 0) || !(height > 0)) throw new Error('A page of the PDF has no size.');
  const turned = { width: height, height: width };
  switch (((page.getRotation().angle % 360) + 360) % 360) {
    case 90:
      return { size: turned, matrix: [0, 1, -1, 0, left + width, bottom] };
    case 180:
      return { size: { width, height }, matrix: [-1, 0, 0, -1, left + width, bottom + height] };
    case 270:
      return { size: turned, matrix: [0, -1, 1, 0, left, bottom + height] };
    default:
      return { size: { width, height }, matrix: [1, 0, 0, 1, left, bottom] };
  }
}
