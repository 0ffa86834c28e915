/** Which page is being read, and the zoom; placed in the page's <header>. */
import { zoomMax, zoomMin } from './page-list.ts';

/** Zooms by that many steps, 0 = back to the fitted size; returns the zoom, 1 = fitted. */
export type ZoomBy = (steps: number) => number;

export class Toolbar {
  readonly #element = document.createElement('div');
  readonly #place = document.createElement('span');
  readonly #out = button('−', 'Zoom out');
  readonly #fit = button('100%', 'Fit to window');
  readonly #in = button('+', 'Zoom in');

  constructor(private readonly header: Element | null) {
    this.#place.className = 'place';
    this.#element.className = 'tools';
    this.#element.role = 'group';
    this.#element.ariaLabel = 'Page and zoom';
    this.#element.append(this.#place, this.#out, this.#fit, this.#in);
    this.#element.hidden = true;
    header?.append(this.#element);
  }

  page(number: number, total: number): void {
    this.#place.textContent = `Page ${number} of ${total}`;
  }

  connect(zoomBy: ZoomBy): void {
    const zoom = (steps: number) => () => this.#show(zoomBy(steps));
    this.#out.addEventListener('click', zoom(-1));
    this.#fit.addEventListener('click', zoom(0));
    this.#in.addEventListener('click', zoom(1));
    this.#element.hidden = false;
  }

  /** For when the reader has lost access: nothing here, a download included, would work. */
  close(): void {
    this.#element.remove();
    for (const link of this.header?.querySelectorAll('a') ?? []) link.remove();
  }

  #show(zoom: number): void {
    const percent = `${Math.round(zoom * 100)}%`;
    this.#fit.textContent = percent;
    this.#fit.ariaLabel = `Fit to window, now ${percent}`;
    // Not `disabled`, which would take the focus away from whoever presses it by keyboard.
    this.#out.ariaDisabled = String(zoom <= zoomMin);
    this.#in.ariaDisabled = String(zoom >= zoomMax);
  }
}

function button(text: string, label: string): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.textContent = text;
  element.ariaLabel = label;
  element.title = label;
  return element;
}
