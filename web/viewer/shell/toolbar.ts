/** The page number and the zoom buttons, inside <header>. */
import { createIcon, type IconName } from './icons.ts';
import { alternativeFit, scaleMax, scaleMin, type Zoomable, type Zooming } from './zoom.ts';

const fits = {
  page: { icon: 'page', text: 'Fit page' },
  width: { icon: 'width', text: 'Fit width' },
} as const;

export class Toolbar {
  readonly #element = document.createElement('div');
  readonly #out = button('minus', 'Zoom out');
  readonly #in = button('plus', 'Zoom in');
  readonly #fit = button(fits.page.icon, fits.page.text);
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

  /** Adds the page field; `goTo` accepts any whole number. */
  connectPages(total: number, goTo: (page: number) => void): void {
    const field = this.#pageField;
    field.inputMode = 'numeric';
    field.autocomplete = 'off';
    field.maxLength = String(total).length;
    field.ariaLabel = `Page (of ${total})`;
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
    field.addEventListener('blur', () => this.#updatePageField());
    this.#element.prepend(form);
    this.#updatePageField();
  }

  showPage(number: number): void {
    this.#page = number;
    if (document.activeElement !== this.#pageField) this.#updatePageField();
  }

  showZoom(target: Zoomable): void {
    this.#percent.textContent = `${Math.round(target.scale * 100)}%`;
    // Not `disabled`, which would remove the keyboard focus.
    this.#out.ariaDisabled = String(target.scale <= scaleMin);
    this.#in.ariaDisabled = String(target.scale >= scaleMax);
    const { icon, text } = fits[alternativeFit(target)];
    label(this.#fit, text);
    this.#fit.replaceChildren(createIcon(icon));
  }

  /** Removes all controls after a loss of access. */
  close(): void {
    this.#element.remove();
    for (const link of this.header?.querySelectorAll('a') ?? []) link.remove();
  }

  #updatePageField(): void {
    this.#pageField.value = String(this.#page);
  }
}

function button(icon: IconName, text: string): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.append(createIcon(icon));
  label(element, text);
  return element;
}

function label(element: HTMLElement, text: string): void {
  element.ariaLabel = text;
  element.title = text;
}
