import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import { createElement } from '../shell/create-element.ts';
import type { Notices } from '../shell/notices.ts';
import type { Toolbar } from '../shell/toolbar.ts';

/** Pixels per point: 150 dots per inch. */
const printScale = 150 / 72;

const refused = 'The sender doesn’t allow printing this document.';

export interface PrintingOptions {
  readonly pdf: PDFDocumentProxy;
  readonly scroller: HTMLElement;
  readonly notices: Notices;
  readonly toolbar: Toolbar;
  readonly isAllowed: boolean;
}

export function offerPrinting(options: PrintingOptions): void {
  const { isAllowed, notices, toolbar, scroller } = options;
  // Only the viewer can draw all pages, so the browser's own command prints a note.
  const text = isAllowed ? 'To print this document, use Print in the viewer.' : refused;
  document.body.append(createElement('p', { className: 'print-note' }, text));
  let current: AbortController | undefined;
  const start = () => {
    if (!scroller.isConnected) return;
    if (!isAllowed) return notices.showBriefly(refused);
    current?.abort();
    current = new AbortController();
    print(options, current).catch((error) => {
      console.error(error);
      notices.showBriefly('The document couldn’t be printed.');
    });
  };
  if (isAllowed) toolbar.addTool('print', 'Print', start);
  document.addEventListener('keydown', (event) => {
    const isPrint = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'p';
    if (!isPrint || event.altKey || event.shiftKey) return;
    event.preventDefault();
    start();
  });
}

async function print({ pdf, notices }: PrintingOptions, abort: AbortController): Promise<void> {
  const { signal } = abort;
  const sheets = createElement('div', { className: 'sheets' });
  const task = notices.showTask('Preparing to print', () => abort.abort());
  const clean = () => {
    task.close();
    for (const { src } of sheets.querySelectorAll('img')) URL.revokeObjectURL(src);
    sheets.remove();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== paper);
  };
  const first = await pdf.getPage(1);
  const paper = paperOf(first);
  signal.addEventListener('abort', clean);
  try {
    for (let number = 1; number <= pdf.numPages; number++) {
      task.update(`Page ${number} of ${pdf.numPages}`);
      const sheet = await drawSheet(await pdf.getPage(number), isLandscape(first));
      if (signal.aborted) return URL.revokeObjectURL(sheet.src);
      sheets.append(sheet);
    }
  } catch (error) {
    abort.abort();
    throw error;
  }
  task.close();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, paper];
  document.body.append(sheets);
  addEventListener('afterprint', () => abort.abort(), { once: true, signal });
  window.print();
}

function paperOf(page: PDFPageProxy): CSSStyleSheet {
  const { width, height } = page.getViewport({ scale: page.userUnit });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`@page { size: ${width}pt ${height}pt; margin: 0; }`);
  return sheet;
}

/** Turns a page that lies across the paper. */
async function drawSheet(page: PDFPageProxy, isPaperLandscape: boolean): Promise<HTMLImageElement> {
  const turn = isLandscape(page) === isPaperLandscape ? 0 : -90;
  const viewport = page.getViewport({
    scale: printScale * page.userUnit,
    rotation: (page.rotate + turn + 360) % 360,
  });
  const [width, height] = [Math.floor(viewport.width), Math.floor(viewport.height)];
  const canvas = createElement('canvas', { width, height });
  await page.render({ canvas, viewport, intent: 'print' }).promise;
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
  canvas.width = 0;
  if (!blob) throw new Error('The page is too large for the memory.');
  const image = createElement('img', { alt: '', src: URL.createObjectURL(blob) });
  await image.decode();
  return image;
}

function isLandscape(page: PDFPageProxy): boolean {
  const { width, height } = page.getViewport({ scale: 1 });
  return width > height;
}
