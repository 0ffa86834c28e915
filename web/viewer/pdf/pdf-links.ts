/** Clickable elements for the links of a PDF, positioned over its pages. */
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';

/** A place in the document: a name or an explicit destination. */
export type Destination = string | unknown[];

/** A link as pdf.js reports it. pdf.js allows only http, https, ftp, mailto and tel URLs. */
interface LinkFacts {
  readonly subtype: string;
  readonly rect: number[];
  readonly url?: string;
  readonly dest?: Destination;
}

/** Positions are percentages of the page, so that the links scale with it. */
export async function createLinkElements(
  page: PDFPageProxy,
  follow: (destination: Destination) => void,
): Promise<HTMLElement[]> {
  const viewport = page.getViewport({ scale: 1 });
  const facts: LinkFacts[] = await page.getAnnotations({ intent: 'display' });
  const links: HTMLElement[] = [];
  for (const { subtype, rect, url, dest } of facts) {
    if (subtype !== 'Link') continue;
    const link = url ? externalLink(url) : dest ? internalLink(() => follow(dest)) : undefined;
    if (!link) continue;
    const [left = 0, bottom = 0, right = 0, top = 0] = rect;
    const [x1 = 0, y1 = 0] = viewport.convertToViewportPoint(left, bottom);
    const [x2 = 0, y2 = 0] = viewport.convertToViewportPoint(right, top);
    link.className = 'link';
    link.style.left = percent(Math.min(x1, x2) / viewport.width);
    link.style.top = percent(Math.min(y1, y2) / viewport.height);
    link.style.width = percent(Math.abs(x2 - x1) / viewport.width);
    link.style.height = percent(Math.abs(y2 - y1) / viewport.height);
    links.push(link);
  }
  return links;
}

/** The page number of a destination, from 1; undefined if the destination is not a page. */
export async function findDestinationPage(
  pdf: PDFDocumentProxy,
  destination: Destination,
): Promise<number | undefined> {
  const explicit =
    typeof destination === 'string' ? await pdf.getDestination(destination) : destination;
  const page = explicit?.[0];
  if (Number.isInteger(page)) return Number(page) + 1;
  return isReference(page) ? (await pdf.getPageIndex(page)) + 1 : undefined;
}

function isReference(value: unknown): value is { num: number; gen: number } {
  return typeof value === 'object' && value !== null && 'num' in value && 'gen' in value;
}

/** `noreferrer`: the linked site must not learn the URL of the shared link. */
function externalLink(url: string): HTMLElement {
  const link = document.createElement('a');
  link.href = url;
  link.target = '_blank';
  link.rel = 'noopener noreferrer nofollow';
  link.ariaLabel = url;
  link.title = url;
  return link;
}

function internalLink(onClick: () => void): HTMLElement {
  const link = document.createElement('button');
  link.type = 'button';
  link.role = 'link';
  link.ariaLabel = 'Go to another place in this document';
  link.addEventListener('click', onClick);
  return link;
}

function percent(share: number): string {
  return `${share * 100}%`;
}
