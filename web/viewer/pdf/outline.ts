/** The outline of a PDF, also called bookmarks: a nested list of links to its places. */
import type { PDFDocumentProxy } from 'pdfjs-dist';
import type { PDFLinkService } from 'pdfjs-dist/legacy/web/pdf_viewer.mjs';
import { createElement } from '../shell/create-element.ts';

type Entry = Awaited<ReturnType<PDFDocumentProxy['getOutline']>>[number];

/** A damaged document may repeat its entries forever. */
const depthMax = 8;
const entriesMax = 5000;

export async function createOutline(
  pdf: PDFDocumentProxy,
  links: PDFLinkService,
  onFollow: () => void,
): Promise<HTMLElement> {
  const entries = await pdf.getOutline().catch(() => null);
  if (!entries?.length) return createElement('p', {}, 'This document has no outline.');
  let left = entriesMax;
  const list = (children: readonly Entry[], depth: number): HTMLElement => {
    const element = createElement('ul');
    for (const entry of children) {
      if (left-- <= 0) break;
      const item = createElement('li', {}, createEntry(entry));
      if (entry.items?.length && depth < depthMax) item.append(list(entry.items, depth + 1));
      element.append(item);
    }
    return element;
  };
  const createEntry = ({ title, dest, url }: Entry): HTMLElement => {
    if (url) {
      const link = createElement('a', {}, title);
      links.addLinkAttributes(link, url);
      return link;
    }
    const button = createElement('button', { type: 'button', disabled: !dest }, title);
    button.addEventListener('click', () => {
      if (dest) void links.goToDestination(dest);
      onFollow();
    });
    return button;
  };
  return list(entries, 1);
}
