/**
 * All pages in one scrolling column. Every page has a placeholder, but only pages near the viewport
 * are drawn, so that memory does not grow with the document.
 */
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import type { Pager } from '../shell/keyboard.ts';
import { ScrollAnchor } from '../shell/scroll-anchor.ts';
import { availableSize, type Point, type Size, type Zoom, type Zoomable } from '../shell/zoom.ts';
import type { Pdfjs } from './open-pdf.ts';
import { type Destination, findDestinationPage } from './pdf-links.ts';
import { PdfPage } from './pdf-page.ts';

export interface PdfPageListOptions {
  readonly scroller: HTMLElement;
  readonly pdfjs: Pdfjs;
  readonly pdf: PDFDocumentProxy;
  readonly firstPage: PDFPageProxy;
  /** Called when the current page changes. */
  onPage(number: number): void;
  /** Called when the scale of the current page may have changed. */
  onScale(target: Zoomable): void;
  /** Called after each drawn page. */
  onDrawn(): void;
  /** Called when the reader clicks a link to another page. */
  onLink(number: number): void;
}

const drawnAtOnceMax = 2;
const redrawDelayMilliseconds = 120;

/** The page at this share of the visible height counts as the current page. */
const eyeLevel = 0.4;

export class PdfPageList implements Zoomable, Pager {
  readonly content = document.createElement('div');
  readonly #views: PdfPage[] = [];
  readonly #indexes = new Map<Element, number>();
  readonly #near = new Set<PdfPage>();
  readonly #drawing = new Map<PdfPage, Promise<void>>();
  readonly #ends: (() => void)[] = [];
  #zoom: Zoom = { fit: 'auto' };
  /** Index of the current page. */
  #current = 0;
  /** Set while the scale may still change. */
  #settling: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: PdfPageListOptions) {
    const { scroller, pdfjs, pdf, firstPage } = options;
    const { width, height } = firstPage.getViewport({ scale: 1 });
    const follow = (destination: Destination) => void this.#follow(destination);
    for (let index = 0; index < pdf.numPages; index++) {
      const label = `Page ${index + 1} of ${pdf.numPages}`;
      const view = new PdfPage({ pdfjs, label, guessedSize: { width, height }, follow });
      this.#views.push(view);
      this.#indexes.set(view.element, index);
    }
    this.content.className = 'pages';
    this.content.append(...this.#indexes.keys());
    scroller.append(this.content);
    this.#layout(this.#views);
    this.#watch();
    options.onPage(1);
  }

  /** Number of the current page, from 1. */
  get current(): number {
    return this.#current + 1;
  }

  get scale(): number {
    return this.#views[this.#current]?.scale ?? 1;
  }

  get wholeScale(): number {
    return this.#views[this.#current]?.wholeScale(this.#room()) ?? 1;
  }

  zoomTo(zoom: Zoom, from?: Point, to?: Point): void {
    const anchor = from && this.#anchor(from, to);
    this.#zoom = zoom;
    this.#layout(this.#views, anchor);
    this.#settle();
  }

  /** Scrolls to the top of a page. Numbers out of range go to the first or last page. */
  goTo(number: number): void {
    const { scroller } = this.options;
    const index = Math.min(this.#views.length, Math.max(1, number)) - 1;
    const before = (element?: HTMLElement) => element?.offsetTop ?? 0;
    // Keeps the same space above each page as above the first.
    const first = before(this.#views[0]?.element);
    scroller.scrollTop = before(this.#views[index]?.element) - first;
    this.#setCurrent(index);
  }

  /** Stops all observers and releases the memory. */
  close(): void {
    for (const end of this.#ends.splice(0)) end();
    clearTimeout(this.#settling);
    for (const view of this.#near) view.release();
    this.#near.clear();
    this.content.remove();
  }

  async #follow(destination: Destination): Promise<void> {
    const number = await findDestinationPage(this.options.pdf, destination);
    if (number !== undefined) this.options.onLink(number);
  }

  #watch(): void {
    const { scroller } = this.options;
    // Also draws one screen above and one below.
    const nearness = new IntersectionObserver((entries) => this.#moved(entries), {
      root: scroller,
      rootMargin: '100% 0px',
    });
    for (const element of this.#indexes.keys()) nearness.observe(element);
    const size = new ResizeObserver(() => {
      this.#layout(this.#views);
      this.#settle();
    });
    size.observe(scroller);
    let asked = false;
    const onScroll = () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        this.#findCurrent();
      });
    };
    scroller.addEventListener('scroll', onScroll, { passive: true });
    this.#ends.push(
      () => nearness.disconnect(),
      () => size.disconnect(),
      () => scroller.removeEventListener('scroll', onScroll),
    );
  }

  #moved(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const view = this.#views[this.#indexes.get(target) ?? -1];
      if (!view) continue;
      if (isIntersecting) {
        this.#near.add(view);
      } else if (this.#near.delete(view)) {
        this.#drawing.delete(view);
        view.release();
      }
    }
    this.#drawNext();
  }

  /** Draws the current page first, then its neighbours by distance. */
  #drawNext(): void {
    const waits = (view: PdfPage) =>
      !this.#drawing.has(view) && (this.#settling ? view.empty : view.stale);
    const distance = (view: PdfPage) => Math.abs(this.#indexOf(view) - this.#current);
    const waiting = [...this.#near].filter(waits);
    waiting.sort((one, other) => distance(one) - distance(other));
    const free = Math.max(0, drawnAtOnceMax - this.#drawing.size);
    for (const view of waiting.slice(0, free)) this.#draw(view);
  }

  #draw(view: PdfPage): void {
    const { pdf, onDrawn } = this.options;
    const drawing = view
      .draw(
        () => pdf.getPage(this.#indexOf(view) + 1),
        () => this.#layout([view]),
      )
      .then(() => {
        // The page left the viewport and came back: a newer drawing is running.
        if (this.#drawing.get(view) !== drawing) return;
        this.#drawing.delete(view);
        onDrawn();
        this.#drawNext();
      });
    this.#drawing.set(view, drawing);
  }

  /** Redraws when the scale has stopped changing; until then, CSS scales the old canvases. */
  #settle(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => {
      this.#settling = undefined;
      this.#findCurrent();
      this.#drawNext();
    }, redrawDelayMilliseconds);
  }

  #layout(views: readonly PdfPage[], anchor = this.#anchor()): void {
    const room = this.#room();
    if (room.width <= 0 || room.height <= 0) return;
    for (const view of views) view.layout(room, this.#zoom);
    anchor?.();
    this.options.onScale(this);
  }

  #room(): Size {
    return availableSize(this.options.scroller, this.content);
  }

  /** Returns a function that restores the reading position after a layout. */
  #anchor(from?: Point, to?: Point): (() => void) | undefined {
    const { scroller } = this.options;
    const eye = { x: scroller.clientWidth / 2, y: scroller.clientHeight * eyeLevel };
    const at = from ?? eye;
    const index = from ? this.#indexAt(from.y) : this.#current;
    const element = this.#views[index]?.element;
    if (!element || element.offsetHeight === 0) return undefined;
    // A reader at the very top stays there.
    const isTop = !from && scroller.scrollTop === 0;
    const anchor = new ScrollAnchor(scroller, element, at);
    return () => {
      anchor.hold(to ?? at);
      if (isTop) scroller.scrollTop = 0;
    };
  }

  /** Index of the page at this height of the viewport. */
  #indexAt(y: number): number {
    const height = this.options.scroller.scrollTop + y;
    let low = 0;
    for (let high = this.#views.length - 1; low < high; ) {
      const middle = Math.ceil((low + high) / 2);
      const top = this.#views[middle]?.element.offsetTop ?? 0;
      if (top <= height) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #findCurrent(): void {
    // After a loss of access, the current page stays in the URL.
    if (!this.content.isConnected) return;
    const { scrollTop, scrollHeight, clientHeight } = this.options.scroller;
    // At the end, the last page is current, even if it is too short to reach eye level.
    const isEnd = scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 1;
    this.#setCurrent(isEnd ? this.#views.length - 1 : this.#indexAt(clientHeight * eyeLevel));
  }

  #setCurrent(index: number): void {
    if (index === this.#current) return;
    this.#current = index;
    this.options.onPage(index + 1);
    this.options.onScale(this);
  }

  #indexOf(view: PdfPage): number {
    return this.#indexes.get(view.element) ?? 0;
  }
}
