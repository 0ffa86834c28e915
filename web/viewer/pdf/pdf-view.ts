/** The pages of a PDF, shown by the components of pdf.js: in a column, or one at a time. */
import type { PDFDocumentProxy } from 'pdfjs-dist';
import type {
  EventBus,
  PDFFindController,
  PDFLinkService,
  PDFPageView,
  PDFViewer,
} from 'pdfjs-dist/legacy/web/pdf_viewer.mjs';
import { createElement } from '../shell/create-element.ts';
import type { Pager } from '../shell/keyboard.ts';
import { ScrollAnchor } from '../shell/scroll-anchor.ts';
import { availableSize, type Point, type Size, type Zoom, type Zoomable } from '../shell/zoom.ts';
import { createDocumentLinks, keepOnlyLinks, removeLinksTo } from './document-links.ts';
import { createFindController } from './document-search.ts';
import type { Pdfjs } from './open-pdf.ts';
import { labelPages } from './page-labels.ts';
import { fitScale, isLandscape, pageSize } from './page-size.ts';

export interface PdfViewOptions {
  /** A positioned element, which the pages fill. */
  readonly parent: HTMLElement;
  readonly pdfjs: Pdfjs;
  readonly pdf: PDFDocumentProxy;
  readonly startPage?: number;
  /** The address of the reader in lines across each page. */
  readonly watermark?: string | undefined;
  onPage(number: number): void;
  onScale?(target: Zoomable): void;
  onDrawn?(): void;
  onJump?(from: number, to: number): void;
}

/** The component draws after this pause while the scale changes. */
const drawingDelayMilliseconds = 120;

/** Device pixels of a canvas and of its longer side: the limits of phones. */
const canvasPixelsMax = 2 ** 24;
const canvasSideMax = 2 ** 14;

/** The page at this share of the visible height keeps its place when the scale changes. */
const eyeLevel = 0.4;

/** A page that cannot be drawn must not stop the search forever. */
const idleMillisecondsMax = 30_000;

/** Labels are set here; the component needs no translations. */
const noTranslations = {
  translate: async () => {},
  pause() {},
  resume() {},
};

export class PdfView implements Zoomable, Pager {
  readonly scroller = createElement('div', { className: 'scroller' });
  readonly content = createElement('div', { className: 'pdfViewer' });
  readonly eventBus: EventBus;
  readonly viewer: PDFViewer;
  readonly links: PDFLinkService;
  readonly finder: PDFFindController;
  readonly #ending = new AbortController();
  #zoom: Zoom = { fit: 'auto' };
  #hasPages = false;
  #hasStarted = false;
  /** The scroll position after the last call of `goTo`, which set the current page. */
  #wentTo = 0;

  constructor(private readonly options: PdfViewOptions) {
    const { parent, pdfjs, pdf } = options;
    this.scroller.append(this.content);
    parent.append(this.scroller);
    const eventBus = new pdfjs.EventBus();
    this.eventBus = eventBus;
    const onJump = (from: number, to: number) => options.onJump?.(from, to);
    this.links = createDocumentLinks(pdfjs, eventBus, onJump);
    const idle = () => this.idle();
    this.finder = createFindController({ pdfjs, eventBus, linkService: this.links, idle });
    this.viewer = new pdfjs.PDFViewer({
      container: this.scroller,
      viewer: this.content,
      eventBus,
      linkService: this.links,
      findController: this.finder,
      annotationMode: pdfjs.AnnotationMode.ENABLE,
      annotationEditorMode: pdfjs.AnnotationEditorType.DISABLE,
      removePageBorders: true,
      maxCanvasPixels: canvasPixelsMax,
      maxCanvasDim: canvasSideMax,
      enableSelectionRendering: false,
      supportsPinchToZoom: false,
      abortSignal: this.#ending.signal,
      l10n: noTranslations,
      // The types require options that have a default.
    } as unknown as ConstructorParameters<typeof pdfjs.PDFViewer>[0]);
    this.links.setViewer(this.viewer);
    this.#listen();
    keepOnlyLinks(pdf, this.#ending.signal);
    this.links.setDocument(pdf);
    this.viewer.setDocument(pdf);
  }

  get current(): number {
    return this.viewer.currentPageNumber;
  }

  get total(): number {
    return this.options.pdf.numPages;
  }

  /** 1 = the size on paper. */
  get scale(): number {
    return this.viewer.currentScale;
  }

  get wholeScale(): number {
    const view = this.#currentView;
    return view ? fitScale(pageSize(view), this.#room(), 'page') : 1;
  }

  get slides(): boolean {
    return this.viewer.scrollMode === this.options.pdfjs.ScrollMode.PAGE;
  }

  set slides(slides: boolean) {
    const { PAGE, VERTICAL } = this.options.pdfjs.ScrollMode;
    this.content.classList.toggle('slides', slides);
    const { current } = this;
    this.viewer.scrollMode = slides ? PAGE : VERTICAL;
    this.zoomTo({ fit: 'auto' });
    this.goTo(current);
  }

  zoomTo(zoom: Zoom, from?: Point, to?: Point): void {
    this.#zoom = zoom;
    this.#layout(this.#anchor(from, to));
  }

  rotate(): void {
    this.viewer.pagesRotation = (this.viewer.pagesRotation + 90) % 360;
    this.#layout();
    this.goTo(this.current);
  }

  /** Scrolls to the top of a page. Numbers out of range go to the first or last page. */
  goTo(number: number): void {
    const { viewer, scroller } = this;
    viewer.currentPageNumber = Math.min(this.total, Math.max(1, number));
    if (!this.slides) {
      // Keeps the same space above each page as above the first.
      const top = (index: number) => viewer.getPageView(index)?.div?.offsetTop ?? 0;
      scroller.scrollTop = top(this.current - 1) - top(0);
    }
    this.#wentTo = scroller.scrollTop;
  }

  /** Resolves when the current page is drawn, or does not appear. */
  idle(): Promise<void> {
    const { FINISHED } = this.options.pdfjs.RenderingStates;
    return new Promise((resolve) => {
      const events = ['pagerendered', 'pagechanging'];
      const finish = () => {
        for (const event of events) this.eventBus.off(event, check);
        clearTimeout(timer);
        this.#ending.signal.removeEventListener('abort', finish);
        resolve();
      };
      const check = () => {
        if (this.#currentView?.renderingState === FINISHED) finish();
      };
      const timer = setTimeout(finish, idleMillisecondsMax);
      for (const event of events) this.eventBus.on(event, check);
      this.#ending.signal.addEventListener('abort', finish);
      check();
    });
  }

  close(): void {
    this.#ending.abort();
    // The component accepts null, unlike its types.
    this.viewer.setDocument(null as unknown as PDFDocumentProxy);
    this.scroller.remove();
  }

  get #currentView(): PDFPageView | undefined {
    return this.viewer.getPageView(this.current - 1);
  }

  #listen(): void {
    const { eventBus, scroller, options } = this;
    eventBus.on('pagesinit', () => {
      labelPages(this.viewer, eventBus);
      this.#hasPages = true;
      this.#start();
    });
    eventBus.on('pagechanging', ({ pageNumber }: { pageNumber: number }) => {
      // After a loss of access, the current page stays in the URL.
      if (!scroller.isConnected) return;
      options.onPage(pageNumber);
      if (!this.slides) options.onScale?.(this);
    });
    // One slide may have another size than the one before.
    eventBus.on('pagerender', () => this.slides && this.#isFitted() && this.#layout());
    eventBus.on('pagerendered', () => options.onDrawn?.());
    eventBus.on('linkannotationsadded', ({ source }: { source: PDFPageView }) => {
      if (options.watermark && source.div) removeLinksTo(options.watermark, source.div);
    });
    eventBus.on('updateviewarea', () => this.#checkEnd());
    const size = new ResizeObserver(() => {
      this.#start();
      this.#layout();
      this.viewer.update();
    });
    size.observe(scroller);
    this.#ending.signal.addEventListener('abort', () => size.disconnect());
  }

  /** Waits until the pages are visible: the component cannot scroll hidden pages. */
  #start(): void {
    if (this.#hasStarted || !this.#hasPages || !this.content.offsetParent) return;
    this.#hasStarted = true;
    const first = this.#currentView;
    if (first && isLandscape(pageSize(first)) && this.total > 1) this.slides = true;
    this.#layout();
    this.goTo(this.options.startPage ?? 1);
    if (this.current === 1) this.options.onPage(1);
  }

  /** At the end, the last page is current, even if a part of it is not visible. */
  #checkEnd(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    const isEnd = scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 1;
    if (!isEnd || this.slides || scrollTop === this.#wentTo) return;
    if (this.current !== this.total) this.viewer.currentPageNumber = this.total;
  }

  #isFitted(): boolean {
    return 'fit' in this.#zoom;
  }

  #layout(anchor = this.#anchor()): void {
    const view = this.#currentView;
    const room = this.#room();
    if (!view || room.width <= 0 || room.height <= 0) return;
    const zoom = this.#zoom;
    if ('fit' in zoom) {
      const fit = zoom.fit === 'auto' && this.slides ? 'page' : zoom.fit;
      const scale = fitScale(pageSize(view), room, fit);
      if (Math.abs(scale / this.scale - 1) > 0.001) this.viewer.currentScale = scale;
    } else if (Math.abs(zoom.scale / this.scale - 1) > 0.001) {
      const scaleFactor = zoom.scale / this.scale;
      this.viewer.updateScale({ scaleFactor, drawingDelay: drawingDelayMilliseconds });
    }
    anchor?.();
    this.options.onScale?.(this);
  }

  #room(): Size {
    return availableSize(this.scroller, this.content);
  }

  /** Returns a function that restores the reading position after a layout. */
  #anchor(from?: Point, to?: Point): (() => void) | undefined {
    const { scroller } = this;
    const eye = { x: scroller.clientWidth / 2, y: scroller.clientHeight * eyeLevel };
    const at = from ?? eye;
    const element = this.#pageAt(at.y);
    if (!element || element.offsetHeight === 0) return undefined;
    // A reader at the very top stays there.
    const isTop = !from && scroller.scrollTop === 0;
    const anchor = new ScrollAnchor(scroller, element, at);
    return () => {
      anchor.hold(to ?? at);
      if (isTop) scroller.scrollTop = 0;
    };
  }

  #pageAt(y: number): HTMLElement | undefined {
    if (this.slides) return this.#currentView?.div;
    const height = this.scroller.scrollTop + y;
    const topOf = (index: number) => this.viewer.getPageView(index)?.div?.offsetTop ?? 0;
    let low = 0;
    for (let high = this.total - 1; low < high; ) {
      const middle = Math.ceil((low + high) / 2);
      if (topOf(middle) <= height) low = middle;
      else high = middle - 1;
    }
    return this.viewer.getPageView(low)?.div;
  }
}
