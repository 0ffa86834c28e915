/** The bar of the viewer, inside <header>: page, zoom, tools and the download. */
import { iconButton, setFace } from './buttons.ts';
import { createElement } from './create-element.ts';
import type { IconName } from './icons.ts';
import { alternativeFit, scaleMax, scaleMin, type Zoomable, type Zooming } from './zoom.ts';

const fits = {
  page: { icon: 'page', text: 'Fit page' },
  width: { icon: 'width', text: 'Fit width' },
} as const;

export class Toolbar {
  readonly #pages = group('Page', 'pages');
  readonly #zoom = group('Zoom', 'zoom');
  readonly #tools = group('Tools', 'more');
  readonly #out = iconButton('minus', 'Zoom out');
  readonly #in = iconButton('plus', 'Zoom in');
  readonly #fit = iconButton(fits.page.icon, fits.page.text);
  readonly #percent = createElement('output', { ariaLabel: 'Zoom', className: 'percent' });
  readonly #pageField = createElement('input', { inputMode: 'numeric', autocomplete: 'off' });
  readonly #previous = iconButton('previous', 'Previous page');
  readonly #next = iconButton('next', 'Next page');
  readonly #menu = iconButton('more', 'More tools');
  #page = 1;
  #total = 1;

  constructor(private readonly header: HTMLElement | null) {
    this.#zoom.append(this.#out, this.#percent, this.#in, this.#fit);
    const place = createElement('div', { className: 'place' }, this.#pages, this.#zoom);
    for (const element of [this.#pages, this.#zoom, this.#tools, this.#menu]) {
      element.hidden = true;
    }
    const download = header?.querySelector<HTMLElement>('a[download]') ?? null;
    if (download) setFace(download, 'download', 'Download');
    header?.insertBefore(place, download);
    header?.insertBefore(this.#tools, download);
    header?.insertBefore(this.#menu, download);
    this.#openMenuOnClick();
  }

  connect(zooming: Zooming): void {
    this.#out.addEventListener('click', () => zooming.by(-1));
    this.#in.addEventListener('click', () => zooming.by(1));
    this.#fit.addEventListener('click', () => zooming.toggleFit());
    this.#zoom.hidden = false;
  }

  connectPages(total: number, goTo: (page: number) => void): void {
    const field = this.#pageField;
    this.#total = total;
    field.maxLength = String(total).length;
    field.ariaLabel = `Page (of ${total})`;
    field.style.width = `calc(${field.maxLength}ch + 20px)`;
    const rest = createElement('span', { ariaHidden: 'true' }, `of ${total}`);
    const form = createElement('form', {}, field, rest);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (/^\s*\d+\s*$/.test(field.value)) goTo(Number(field.value));
      field.blur();
    });
    field.addEventListener('focus', () => field.select());
    field.addEventListener('blur', () => this.#updatePageField());
    const turn = (step: number) => (event: MouseEvent) => {
      goTo(this.#page + step);
      // After a click with a pointer, the keys turn pages, too.
      const { currentTarget } = event;
      if (event.detail > 0 && currentTarget instanceof HTMLElement) currentTarget.blur();
    };
    this.#previous.addEventListener('click', turn(-1));
    this.#next.addEventListener('click', turn(1));
    this.#pages.append(this.#previous, form, this.#next);
    this.#pages.hidden = false;
    this.showPage(this.#page);
  }

  addFirst(button: HTMLButtonElement): void {
    this.header?.prepend(button);
  }

  addButton(button: HTMLButtonElement): void {
    this.#tools.before(button);
  }

  addTool(icon: IconName, text: string, onClick: () => void): HTMLButtonElement {
    const button = iconButton(icon, text, onClick);
    this.#tools.append(button);
    this.#tools.hidden = false;
    this.#menu.hidden = false;
    return button;
  }

  focusPageField(): void {
    this.#pageField.focus();
  }

  showPage(number: number): void {
    this.#page = number;
    // Not `disabled`, which would remove the keyboard focus.
    this.#previous.ariaDisabled = String(number <= 1);
    this.#next.ariaDisabled = String(number >= this.#total);
    if (document.activeElement !== this.#pageField) this.#updatePageField();
  }

  showZoom(target: Zoomable): void {
    this.#percent.textContent = `${Math.round(target.scale * 100)}%`;
    this.#out.ariaDisabled = String(target.scale <= scaleMin);
    this.#in.ariaDisabled = String(target.scale >= scaleMax);
    const { icon, text } = fits[alternativeFit(target)];
    if (this.#fit.ariaLabel !== text) setFace(this.#fit, icon, text);
  }

  close(): void {
    const controls = this.header?.querySelectorAll('a, button, input, .place') ?? [];
    for (const control of controls) {
      // The other documents of a room can still be open.
      if (!control.closest('nav')) control.remove();
    }
  }

  #updatePageField(): void {
    this.#pageField.value = String(this.#page);
  }

  /** The menu contains the tools on a phone, where the bar has no place for them. */
  #openMenuOnClick(): void {
    const menu = this.#menu;
    const tools = this.#tools;
    menu.classList.add('menu');
    tools.id = 'tools';
    menu.setAttribute('aria-controls', tools.id);
    const open = (isOpen: boolean) => {
      menu.ariaExpanded = String(isOpen);
      tools.classList.toggle('open', isOpen);
    };
    open(false);
    menu.addEventListener('click', () => open(menu.ariaExpanded !== 'true'));
    tools.addEventListener('click', () => open(false));
    document.addEventListener('pointerdown', ({ target }) => {
      if (!(target instanceof Node) || tools.contains(target) || menu.contains(target)) return;
      open(false);
    });
    this.header?.addEventListener('keydown', ({ key }) => {
      if (key !== 'Escape' || menu.ariaExpanded !== 'true') return;
      open(false);
      menu.focus();
    });
  }
}

const group = (ariaLabel: string, name: string): HTMLElement =>
  createElement('div', { className: `tools ${name}`, role: 'group', ariaLabel });
