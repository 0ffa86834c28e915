/**
 * All pages in one scrolling column. Each keeps its place; only those near the visible part are
 * drawn, so that memory does not grow with the document.
 */
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import { PageView } from './page-view.ts';
import type { Pdfjs } from './pdf.ts';

export interface PageListOptions {
  readonly scroller: HTMLElement;
  readonly pdfjs: Pdfjs;
  readonly pdf: PDFDocumentProxy;
  readonly firstPage: PDFPageProxy;
  /** The page being read; told at each change. */
  onPage(number: number): void;
  /** The first page stands. */
  onDrawn(): void;
}

/** Times the fitted size. */
const zooms = [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 4];
export const zoomMin = Math.min(...zooms);
export const zoomMax = Math.max(...zooms);

const drawnAtOnceMax = 2;
const redrawDelayMilliseconds = 120;

/** Where the eye is taken to be: this share of the visible height from the top. */
const eyeLevel = 0.4;

/** A point of a page that must stay where it is on the screen; shares of the page's box. */
interface Anchor {
  readonly element: HTMLElement;
  readonly x: number;
  readonly y: number;
}

export class PageList {
  readonly #column = document.createElement('div');
  readonly #views: PageView[] = [];
  readonly #indexes = new Map<Element, number>();
  readonly #near = new Set<PageView>();
  readonly #drawing = new Map<PageView, Promise<void>>();
  #zoom = 1;
  /** Index of the page being read. */
  #current = 0;
  /** Runs while the scale may still be changing. */
  #settling: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: PageListOptions) {
    const { scroller, pdfjs, pdf, firstPage } = options;
    const { width, height } = firstPage.getViewport({ scale: 1 });
    for (let index = 0; index < pdf.numPages; index++) {
      const label = `Page ${index + 1} of ${pdf.numPages}`;
      const view = new PageView(pdfjs, label, { width, height });
      this.#views.push(view);
      this.#indexes.set(view.element, index);
    }
    this.#column.className = 'pages';
    this.#column.append(...this.#indexes.keys());
    scroller.append(this.#column);
    this.#layout(this.#views);
    this.#watch();
    options.onPage(1);
  }

  /** Moves by that many steps, 0 returns to the fitted size. Returns the zoom, 1 = fitted. */
  zoomBy(steps: number): number {
    const index = zooms.indexOf(this.#zoom) + steps;
    this.#zoom = steps === 0 ? 1 : (zooms[index] ?? this.#zoom);
    this.#layout(this.#views);
    this.#settle();
    return this.#zoom;
  }

  #watch(): void {
    const { scroller } = this.options;
    // One screen above and one below are drawn ahead.
    const nearness = new IntersectionObserver((entries) => this.#moved(entries), {
      root: scroller,
      rootMargin: '100% 0px',
    });
    for (const element of this.#indexes.keys()) nearness.observe(element);
    new ResizeObserver(() => {
      this.#layout(this.#views);
      this.#settle();
    }).observe(scroller);
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

  /** The page being read comes first, then its neighbours by distance. */
  #drawNext(): void {
    const waits = (view: PageView) =>
      !this.#drawing.has(view) && (this.#settling ? view.empty : view.stale);
    const distance = (view: PageView) => Math.abs(this.#indexOf(view) - this.#current);
    const waiting = [...this.#near].filter(waits);
    waiting.sort((one, other) => distance(one) - distance(other));
    const free = Math.max(0, drawnAtOnceMax - this.#drawing.size);
    for (const view of waiting.slice(0, free)) this.#draw(view);
  }

  #draw(view: PageView): void {
    const { pdf, onDrawn } = this.options;
    const drawing = view
      .draw(
        () => pdf.getPage(this.#indexOf(view) + 1),
        () => this.#layout([view]),
      )
      .then(() => {
        // A page that left and came back is being drawn anew.
        if (this.#drawing.get(view) !== drawing) return;
        this.#drawing.delete(view);
        onDrawn();
        this.#drawNext();
      });
    this.#drawing.set(view, drawing);
  }

  /** Redraws once the scale has stopped changing; until then the old pictures are stretched. */
  #settle(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => {
      this.#settling = undefined;
      this.#findCurrent();
      this.#drawNext();
    }, redrawDelayMilliseconds);
  }

  #layout(views: readonly PageView[]): void {
    const { scroller } = this.options;
    const { paddingLeft, paddingTop } = getComputedStyle(this.#column);
    const room = {
      width: scroller.clientWidth - 2 * Number.parseFloat(paddingLeft),
      height: scroller.clientHeight - 2 * Number.parseFloat(paddingTop),
    };
    if (room.width <= 0 || room.height <= 0) return;
    const anchor = this.#anchor();
    for (const view of views) view.layout(room, this.#zoom);
    if (anchor) this.#restore(anchor);
  }

  #anchor(): Anchor | undefined {
    const { scroller } = this.options;
    const element = this.#views[this.#current]?.element;
    if (!element || element.offsetHeight === 0) return undefined;
    const x = scroller.scrollLeft + scroller.clientWidth / 2 - element.offsetLeft;
    const y = scroller.scrollTop + scroller.clientHeight * eyeLevel - element.offsetTop;
    return { element, x: x / element.offsetWidth, y: y / element.offsetHeight };
  }

  #restore({ element, x, y }: Anchor): void {
    const { scroller } = this.options;
    const left = element.offsetLeft + x * element.offsetWidth - scroller.clientWidth / 2;
    scroller.scrollLeft = left;
    // Who is at the very top wants to stay there.
    if (scroller.scrollTop === 0) return;
    const eye = scroller.clientHeight * eyeLevel;
    scroller.scrollTop = element.offsetTop + y * element.offsetHeight - eye;
  }

  #findCurrent(): void {
    const { scroller, onPage } = this.options;
    const eye = scroller.scrollTop + scroller.clientHeight * eyeLevel;
    let low = 0;
    for (let high = this.#views.length - 1; low < high; ) {
      const middle = Math.ceil((low + high) / 2);
      const top = this.#views[middle]?.element.offsetTop ?? 0;
      if (top <= eye) low = middle;
      else high = middle - 1;
    }
    if (low === this.#current) return;
    this.#current = low;
    onPage(low + 1);
  }

  #indexOf(view: PageView): number {
    return this.#indexes.get(view.element) ?? 0;
  }
}
