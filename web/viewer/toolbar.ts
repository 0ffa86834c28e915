/** Which page is being read, and the zoom; placed in the page's <header>. */
import { type IconName, icon } from './icons.ts';
import { otherFit, scaleMax, scaleMin, type Zoomable, type Zooming } from './zoom.ts';

const fits = {
  page: { drawing: 'page', text: 'Fit the whole page' },
  width: { drawing: 'width', text: 'Fit the width' },
} as const;

export class Toolbar {
  readonly #element = document.createElement('div');
  readonly #out = button('minus', 'Zoom out');
  readonly #in = button('plus', 'Zoom in');
  readonly #fit = button(fits.page.drawing, fits.page.text);
  readonly #percent = document.createElement('output');
  readonly #pageField = document.createElement('input');
  #page = 1;

  constructor(private readonly header: Element | null) {
    this.#element.className = 'tools';
    this.#element.role = 'group';
    this.#element.ariaLabel = 'Page and zoom';
    this.#percent.ariaLabel = 'Zoom';
    this.#percent.className = 'percent';
    this.#element.append(this.#out, this.#percent, this.#in, this.#fit);
    this.#element.hidden = true;
    header?.insertBefore(this.#element, header.querySelector('a'));
  }

  connect(zooming: Zooming): void {
    this.#out.addEventListener('click', () => zooming.by(-1));
    this.#in.addEventListener('click', () => zooming.by(1));
    this.#fit.addEventListener('click', () => zooming.toggleFit());
    this.#element.hidden = false;
  }

  /** Adds the field for the page; `goTo` takes any whole number. */
  connectPages(total: number, goTo: (page: number) => void): void {
    const field = this.#pageField;
    field.inputMode = 'numeric';
    field.autocomplete = 'off';
    field.maxLength = String(total).length;
    field.ariaLabel = `Page, of ${total}`;
    field.style.width = `calc(${field.maxLength}ch + 28px)`;
    const rest = document.createElement('span');
    rest.ariaHidden = 'true';
    rest.textContent = `of ${total}`;
    const form = document.createElement('form');
    form.className = 'place';
    form.append(field, rest);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (/^\s*\d+\s*$/.test(field.value)) goTo(Number(field.value));
      field.blur();
    });
    field.addEventListener('focus', () => field.select());
    field.addEventListener('blur', () => this.#showPage());
    this.#element.prepend(form);
    this.#showPage();
  }

  page(number: number): void {
    this.#page = number;
    if (document.activeElement !== this.#pageField) this.#showPage();
  }

  zoomed(target: Zoomable): void {
    this.#percent.textContent = `${Math.round(target.scale * 100)}%`;
    // Not `disabled`, which would take the focus away from whoever presses it by keyboard.
    this.#out.ariaDisabled = String(target.scale <= scaleMin);
    this.#in.ariaDisabled = String(target.scale >= scaleMax);
    const { drawing, text } = fits[otherFit(target)];
    label(this.#fit, text);
    this.#fit.replaceChildren(icon(drawing));
  }

  /** For when the reader has lost access: nothing here, a download included, would work. */
  close(): void {
    this.#element.remove();
    for (const link of this.header?.querySelectorAll('a') ?? []) link.remove();
  }

  #showPage(): void {
    this.#pageField.value = String(this.#page);
  }
}

function button(drawing: IconName, text: string): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.append(icon(drawing));
  label(element, text);
  return element;
}

function label(element: HTMLElement, text: string): void {
  element.ariaLabel = text;
  element.title = text;
}
