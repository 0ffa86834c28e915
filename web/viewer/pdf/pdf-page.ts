/** One page: a placeholder, with a canvas and a text layer while the page is near the viewport. */
import type { PDFPageProxy, RenderTask, TextLayer } from 'pdfjs-dist';
import type { Fit, Size, Zoom } from '../shell/zoom.ts';
import type { Pdfjs } from './open-pdf.ts';
import { createLinkElements, type Destination } from './pdf-links.ts';
import { trackSelection } from './text-selection.ts';

/** CSS pixels per point of a page. */
const pixelsPerPoint = 96 / 72;

/** Portrait pages never grow beyond this multiple of their paper size. */
const portraitScaleMax = 1.25;

/** Device pixels of a canvas and of its longer side: the limits of phones. */
const canvasPixelsMax = 2 ** 24;
const canvasSideMax = 2 ** 14;

export interface PdfPageOptions {
  readonly pdfjs: Pdfjs;
  /** Such as "Page 1 of 3". */
  readonly label: string;
  /** Points. */
  readonly guessedSize: Size;
  readonly follow: (destination: Destination) => void;
}

export class PdfPage {
  readonly element = document.createElement('div');
  #page: PDFPageProxy | undefined;
  /** Points. The size of the first page until this page is loaded. */
  #size: Size;
  #scale = 1;
  #drawnScale = 0;
  #failed = false;
  #canvas: HTMLCanvasElement | undefined;
  #text: TextLayer | undefined;
  #textElement: HTMLElement | undefined;
  #task: RenderTask | undefined;
  /** Grows with each release, so that a running drawing notices that it is obsolete. */
  #turn = 0;

  constructor(private readonly options: PdfPageOptions) {
    this.#size = options.guessedSize;
    this.element.className = 'page';
    this.element.role = 'group';
    this.element.ariaLabel = options.label;
  }

  get empty(): boolean {
    return !this.#failed && this.#drawnScale === 0;
  }

  /** Whether the canvas does not match the current scale. */
  get stale(): boolean {
    return !this.#failed && this.#drawnScale !== this.#pixelScale();
  }

  /** 1 = the size on paper. */
  get scale(): number {
    return this.#scale / pixelsPerPoint;
  }

  /** The scale at which the whole page is visible. */
  wholeScale(room: Size): number {
    return fitScale(this.#size, room, 'page') / pixelsPerPoint;
  }

  /** Resizes the placeholder. CSS scales the old canvas until the next `draw`. */
  layout(room: Size, zoom: Zoom): void {
    this.#scale =
      'fit' in zoom ? fitScale(this.#size, room, zoom.fit) : zoom.scale * pixelsPerPoint;
    const { style } = this.element;
    // pdf.js uses this variable to position its text layer.
    const unit = this.#page?.userUnit ?? 1;
    style.setProperty('--total-scale-factor', String(this.#scale * unit));
    style.width = `${Math.floor(this.#size.width * this.#scale)}px`;
    style.height = `${Math.floor(this.#size.height * this.#scale)}px`;
  }

  /** `relayout` is called if the page does not have the guessed size. */
  async draw(load: () => Promise<PDFPageProxy>, relayout: () => void): Promise<void> {
    this.#task?.cancel();
    const turn = ++this.#turn;
    try {
      const page = await load();
      if (turn !== this.#turn) return;
      this.#learn(page, relayout);
      const drawnScale = this.#pixelScale();
      const canvas = await this.#paint(page, drawnScale);
      if (turn !== this.#turn) return;
      this.#canvas?.remove();
      this.#canvas = canvas;
      this.element.prepend(canvas);
      this.element.classList.add('drawn');
      this.#drawnScale = drawnScale;
      await this.#write(page);
      // Screen readers get the text layer; only a page without text is announced as an image.
      canvas.ariaHidden = this.#textElement?.textContent ? 'true' : null;
    } catch (error) {
      if (turn === this.#turn) this.#fail(error);
    }
  }

  /** Releases the memory and keeps the placeholder. */
  release(): void {
    this.#turn++;
    this.#task?.cancel();
    this.#text?.cancel();
    this.#text = undefined;
    if (this.#canvas) this.#canvas.width = 0;
    this.#canvas = undefined;
    this.#textElement = undefined;
    this.#drawnScale = 0;
    this.#failed = false;
    this.element.replaceChildren();
    this.element.classList.remove('drawn');
    this.#page?.cleanup();
  }

  #learn(page: PDFPageProxy, relayout: () => void): void {
    this.#page = page;
    const { width, height } = page.getViewport({ scale: 1 });
    const guessed = width === this.#size.width && height === this.#size.height;
    if (guessed && page.userUnit === 1) return;
    this.#size = { width, height };
    relayout();
  }

  /** Device pixels per point, limited by the maximum canvas size. */
  #pixelScale(): number {
    const { width, height } = this.#size;
    return Math.min(
      this.#scale * devicePixelRatio,
      Math.sqrt(canvasPixelsMax / (width * height)),
      canvasSideMax / Math.max(width, height),
    );
  }

  async #paint(page: PDFPageProxy, scale: number): Promise<HTMLCanvasElement> {
    const viewport = page.getViewport({ scale });
    const canvas = document.createElement('canvas');
    canvas.width = Math.floor(viewport.width);
    canvas.height = Math.floor(viewport.height);
    canvas.role = 'img';
    canvas.ariaLabel = this.options.label;
    this.#task = page.render({ canvas, viewport });
    await this.#task.promise;
    return canvas;
  }

  /** Lays out the text layer once; CSS scales it with the page. */
  async #write(page: PDFPageProxy): Promise<void> {
    if (this.#text) return;
    const container = document.createElement('div');
    container.className = 'text';
    this.#text = new this.options.pdfjs.TextLayer({
      textContentSource: page.streamTextContent(),
      container,
      viewport: page.getViewport({ scale: this.#scale }),
    });
    this.element.append(container);
    this.#textElement = container;
    await this.#text.render();
    trackSelection(container);
    const links = await createLinkElements(page, this.options.follow);
    if (this.#textElement === container) this.element.append(...links);
  }

  #fail(error: unknown): void {
    if (error instanceof this.options.pdfjs.RenderingCancelledException) return;
    if (error instanceof this.options.pdfjs.AbortException) return;
    console.error(error);
    this.#failed = true;
    if (this.#canvas) return;
    const text = document.createElement('p');
    text.className = 'failure';
    text.textContent = `${this.options.label} could not be shown.`;
    this.element.replaceChildren(text);
    this.element.classList.add('drawn');
  }
}

/** With `auto`, a landscape page, such as a slide, fits as a whole and a portrait page by width. */
function fitScale(size: Size, room: Size, fit: Fit): number {
  const byWidth = room.width / size.width;
  const whole = Math.min(byWidth, room.height / size.height);
  if (fit === 'auto' && size.width <= size.height) {
    return Math.min(byWidth, portraitScaleMax * pixelsPerPoint);
  }
  return fit === 'width' ? byWidth : whole;
}
