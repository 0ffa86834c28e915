/** One page: a box that keeps the page's place, and its picture and text while it is near. */
import type { PDFPageProxy, RenderTask, TextLayer } from 'pdfjs-dist';
import type { Pdfjs } from './open-pdf.ts';
import { type Destination, linksOf } from './pdf-links.ts';
import { trackSelection } from './text-selection.ts';
import type { Fit, Size, Zoom } from './zoom.ts';

/** CSS pixels per point of a page. */
const pixelsPerPoint = 96 / 72;

/** A portrait page grows to this times its paper size and no further, whatever the window. */
const portraitScaleMax = 1.25;

/** Device pixels of one picture, and of its longer side: what phones still allow for a canvas. */
const canvasPixelsMax = 2 ** 24;
const canvasSideMax = 2 ** 14;

export interface PdfPageOptions {
  readonly pdfjs: Pdfjs;
  /** The page's name, such as "Page 1 of 3". */
  readonly label: string;
  /** Points. */
  readonly guessedSize: Size;
  /** Takes the reader to where a link within the document leads. */
  readonly follow: (destination: Destination) => void;
}

export class PdfPage {
  readonly element = document.createElement('div');
  #page: PDFPageProxy | undefined;
  /** Points; the first page's, until this page itself is known. */
  #size: Size;
  #scale = 1;
  #drawnScale = 0;
  #failed = false;
  #canvas: HTMLCanvasElement | undefined;
  #text: TextLayer | undefined;
  #textElement: HTMLElement | undefined;
  #task: RenderTask | undefined;
  /** Grows with each release, so that a drawing under way notices that nobody wants it. */
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

  /** True while what is shown does not fit the present scale. */
  get stale(): boolean {
    return !this.#failed && this.#drawnScale !== this.#pixelScale();
  }

  /** 1 = the size on paper. */
  get scale(): number {
    return this.#scale / pixelsPerPoint;
  }

  /** The scale at which the page is seen whole. */
  wholeScale(room: Size): number {
    return fitScale(this.#size, room, 'page') / pixelsPerPoint;
  }

  /** Sizes the box; what is drawn stays, stretched, until the next `draw`. */
  layout(room: Size, zoom: Zoom): void {
    this.#scale =
      'fit' in zoom ? fitScale(this.#size, room, zoom.fit) : zoom.scale * pixelsPerPoint;
    const { style } = this.element;
    // pdf.js places its text by this, in units of the page.
    const unit = this.#page?.userUnit ?? 1;
    style.setProperty('--total-scale-factor', String(this.#scale * unit));
    style.width = `${Math.floor(this.#size.width * this.#scale)}px`;
    style.height = `${Math.floor(this.#size.height * this.#scale)}px`;
  }

  /** `relayout` is called when the page turns out to have another size than was guessed. */
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
      // A screen reader gets the text; only a page without any is announced as a picture.
      canvas.ariaHidden = this.#textElement?.textContent ? 'true' : null;
    } catch (error) {
      if (turn === this.#turn) this.#fail(error);
    }
  }

  /** Gives the memory back; the box stays. */
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

  /** Device pixels per point, less on a canvas that would grow too large. */
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

  /** The text follows the box's scale by itself and is laid out once. */
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
    const links = await linksOf(page, this.options.follow);
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
    text.textContent = `${this.options.label} cannot be shown.`;
    this.element.replaceChildren(text);
    this.element.classList.add('drawn');
  }
}

/** Of itself, a landscape page, such as a slide, fits as a whole, and a portrait one the width. */
function fitScale(size: Size, room: Size, fit: Fit): number {
  const byWidth = room.width / size.width;
  const whole = Math.min(byWidth, room.height / size.height);
  if (fit === 'auto' && size.width <= size.height) {
    return Math.min(byWidth, portraitScaleMax * pixelsPerPoint);
  }
  return fit === 'width' ? byWidth : whole;
}
