/** The links inside a document: safe, labelled, and with an entry in the history. */
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import type { EventBus, PDFLinkService } from 'pdfjs-dist/legacy/web/pdf_viewer.mjs';
import type { Pdfjs } from './open-pdf.ts';

export type Destination = string | unknown[];

/** As pdf.js reports it. pdf.js allows only http, https, ftp, mailto and tel URLs. */
interface AnnotationFacts {
  readonly subtype: string;
  readonly url?: string;
  readonly dest?: Destination;
  readonly action?: string;
  quadPoints?: unknown;
}

/** `noreferrer`: the linked site must not learn the URL of the shared link. */
const rel = 'noopener noreferrer nofollow';

export function createDocumentLinks(
  { PDFLinkService, LinkTarget }: Pdfjs,
  eventBus: EventBus,
  onJump: (from: number, to: number) => void,
): PDFLinkService {
  class DocumentLinks extends PDFLinkService {
    override async goToDestination(destination: Destination): Promise<void> {
      const from = this.page;
      await super.goToDestination(destination as string);
      if (this.page !== from) onJump(from, this.page);
    }
  }
  return new DocumentLinks({
    eventBus,
    externalLinkTarget: LinkTarget.BLANK,
    externalLinkRel: rel,
    // A link must not change the zoom.
    ignoreDestinationZoom: true,
  });
}

/**
 * Hides all interactive annotations but links from the components, which would also offer notes,
 * attachments, forms and media. Their pictures are part of the page and stay. A page that fails
 * after `ending` never arrives, because the components would log the failure.
 */
export function keepOnlyLinks(pdf: PDFDocumentProxy, ending: AbortSignal): void {
  const getPage = pdf.getPage.bind(pdf);
  const changed = new WeakSet<PDFPageProxy>();
  pdf.getPage = async (number) => {
    const page = await getPage(number).catch((error: unknown) => {
      if (ending.aborted) return new Promise<never>(() => {});
      throw error;
    });
    if (changed.has(page)) return page;
    changed.add(page);
    const getAnnotations = page.getAnnotations.bind(page);
    page.getAnnotations = async (options) => {
      const annotations: AnnotationFacts[] = await getAnnotations(options);
      const links = annotations.filter(
        ({ subtype, url, dest, action }) => subtype === 'Link' && (url || dest || action),
      );
      // For these, pdf.js uses a style that the content security policy does not allow.
      for (const link of links) delete link.quadPoints;
      return links;
    };
    return page;
  };
}

export function labelLinks(page: HTMLElement): void {
  for (const link of page.querySelectorAll<HTMLAnchorElement>('.annotationLayer a')) {
    const label = link.title || 'Go to another place in this document';
    link.ariaLabel = label;
    link.title = label;
  }
}

/**
 * Removes the links that pdf.js adds to an address in the text of a page. The link of a slanted
 * line would cover a large part of the page.
 */
export function removeLinksTo(address: string, page: HTMLElement): void {
  const added = '[data-annotation-id^=inferred_link] > a';
  for (const link of page.querySelectorAll<HTMLAnchorElement>(added)) {
    // pdf.js omits digits and other characters at the start of an address.
    if (address.endsWith(link.href.replace('mailto:', ''))) link.parentElement?.remove();
  }
}
