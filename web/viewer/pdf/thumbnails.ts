/** pdf.js does not export such a component. Drawn when visible and the document is complete. */
import type { PDFDocumentProxy, RenderTask } from 'pdfjs-dist';
import { createElement } from '../shell/create-element.ts';
import { fitCanvas } from './page-size.ts';
import type { PdfView } from './pdf-view.ts';

/** CSS pixels. */
const width = 128;

export class Thumbnails {
  readonly #list = createElement('ol');
  readonly #buttons: HTMLButtonElement[] = [];
  readonly #visible = new Set<number>();
  readonly #drawn = new Set<number>();
  #isDrawing = false;

  constructor(
    private readonly view: PdfView,
    private readonly pdf: PDFDocumentProxy,
    root: HTMLElement,
    goTo: (page: number) => void,
  ) {
    for (let page = 1; page <= pdf.numPages; page++) {
      const button = this.#createButton(page);
      button.addEventListener('click', () => goTo(page));
      this.#buttons.push(button);
      this.#list.append(createElement('li', {}, button));
    }
    root.append(this.#list);
    const observer = new IntersectionObserver((entries) => this.#moved(entries), { root });
    for (const button of this.#buttons) observer.observe(button);
  }

  show(current: number): void {
    for (const marked of this.#list.querySelectorAll('[aria-current]')) {
      marked.removeAttribute('aria-current');
    }
    const button = this.#buttons[current - 1];
    button?.setAttribute('aria-current', 'page');
    button?.scrollIntoView({ block: 'nearest' });
  }

  #createButton(page: number): HTMLButtonElement {
    const { width: pageWidth, height } = this.view.viewer.getPageView(page - 1) ?? {
      width: 1,
      height: 1.4,
    };
    const canvas = createElement('canvas');
    canvas.style.aspectRatio = String(pageWidth / height);
    const properties = { type: 'button', ariaLabel: `Page ${page}` } as const;
    const number = createElement('span', {}, String(page));
    const button = createElement('button', properties, canvas, number);
    button.dataset.page = String(page);
    return button;
  }

  #moved(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const page = Number(target instanceof HTMLElement ? target.dataset.page : 0);
      if (isIntersecting) this.#visible.add(page);
      else this.#visible.delete(page);
    }
    void this.#drawNext();
  }

  async #drawNext(): Promise<void> {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    await this.view.idle();
    // The reader may have scrolled on.
    const next = [...this.#visible].find((page) => !this.#drawn.has(page));
    if (next !== undefined) {
      this.#drawn.add(next);
      await this.#draw(next).catch((error) => console.error(error));
    }
    this.#isDrawing = false;
    if (next !== undefined) await this.#drawNext();
  }

  async #draw(page: number): Promise<void> {
    const canvas = this.#buttons[page - 1]?.querySelector('canvas');
    if (!canvas) return;
    const proxy = await this.pdf.getPage(page);
    const { viewer } = this.view;
    const rotation = (proxy.rotate + viewer.pagesRotation) % 360;
    const viewport = fitCanvas(canvas, proxy, { width, rotation });
    const shown = viewer.getPageView(page - 1)?.thumbnailCanvas;
    if (shown && viewer.pagesRotation === 0) {
      const context = canvas.getContext('2d');
      if (!context) return;
      context.imageSmoothingQuality = 'high';
      context.drawImage(shown, 0, 0, canvas.width, canvas.height);
      return;
    }
    const task: RenderTask = proxy.render({ canvas, viewport });
    await task.promise;
  }
}
