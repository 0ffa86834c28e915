import type { PDFDocumentProxy } from 'pdfjs-dist';
import { fitCanvas } from '../../../viewer/pdf/page-size.ts';
import type { DrawPage } from '../../readers/heat-strip.tsx';

/** CSS pixels. */
const width = 96;

/** Draws small pictures one after the other. */
export function createDrawPage(pdf: PDFDocumentProxy): DrawPage {
  let last: Promise<unknown> = Promise.resolve();
  async function draw(number: number, canvas: HTMLCanvasElement): Promise<void> {
    if (!canvas.isConnected) return;
    const page = await pdf.getPage(number);
    const viewport = fitCanvas(canvas, page, { width, rotation: page.rotate });
    await page.render({ canvas, viewport }).promise;
  }
  return (number, canvas) => {
    const drawn = last.then(() => draw(number, canvas));
    last = drawn.catch(() => {});
    return drawn;
  };
}
