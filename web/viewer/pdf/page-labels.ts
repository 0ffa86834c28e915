/** Names of the pages and their parts for screen readers. */
import type { EventBus, PDFPageView, PDFViewer } from 'pdfjs-dist/legacy/web/pdf_viewer.mjs';
import { createElement } from '../shell/create-element.ts';
import { labelLinks } from './document-links.ts';

type LayerEvent = { readonly source: PDFPageView; readonly error?: unknown };

export function labelPages(viewer: PDFViewer, eventBus: EventBus): void {
  for (let index = 0; index < viewer.pagesCount; index++) {
    const { div } = viewer.getPageView(index) ?? {};
    if (!div) continue;
    div.role = 'group';
    div.ariaLabel = `Page ${index + 1} of ${viewer.pagesCount}`;
  }
  eventBus.on('pagerendered', ({ source, error }: LayerEvent) => error && showFailure(source));
  eventBus.on('textlayerrendered', ({ source }: LayerEvent) => labelText(source));
  for (const event of ['annotationlayerrendered', 'linkannotationsadded']) {
    eventBus.on(event, ({ source }: LayerEvent) => source.div && labelLinks(source.div));
  }
}

/** Screen readers get the text layer; only a page without text is announced as an image. */
function labelText({ div: page, textLayer }: PDFPageView): void {
  const { div } = textLayer ?? {};
  if (!div) return;
  // The keys scroll the document; its pages are no stops of the Tab key.
  div.tabIndex = -1;
  if (div.textContent) return;
  const canvas = page?.querySelector('canvas');
  canvas?.setAttribute('role', 'img');
  canvas?.setAttribute('aria-label', page?.ariaLabel ?? '');
}

function showFailure({ div }: PDFPageView): void {
  const text = `${div?.ariaLabel} couldn’t be shown.`;
  div?.append(createElement('p', { className: 'failure' }, text));
}
