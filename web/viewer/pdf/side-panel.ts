import type { PDFDocumentProxy } from 'pdfjs-dist';
import { iconButton } from '../shell/buttons.ts';
import { createElement } from '../shell/create-element.ts';
import type { Toolbar } from '../shell/toolbar.ts';
import { createOutline } from './outline.ts';
import type { PdfView } from './pdf-view.ts';
import { Thumbnails } from './thumbnails.ts';

type Tab = 'pages' | 'outline';

export class SidePanel {
  readonly #panel = createElement('aside', {
    className: 'panel',
    ariaLabel: 'Pages and outline',
    hidden: true,
  });
  readonly #tabs: Record<Tab, HTMLButtonElement>;
  readonly #outline = createElement('div', { className: 'outline' });
  readonly #pages = createElement('div', { className: 'thumbnails' });
  /** Created when the panel opens for the first time. */
  #thumbnails: Thumbnails | undefined;
  readonly #button = iconButton('panel', 'Pages and outline', () => this.toggle());
  #isOutlineLoaded = false;

  constructor(
    private readonly view: PdfView,
    private readonly pdf: PDFDocumentProxy,
    private readonly main: HTMLElement,
    toolbar: Toolbar,
  ) {
    const panel = this.#panel;
    this.#tabs = { pages: this.#tab('pages', 'Pages'), outline: this.#tab('outline', 'Outline') };
    const strip = { className: 'tabs', role: 'tablist' };
    const tabs = createElement('div', strip, ...Object.values(this.#tabs));
    tabs.addEventListener('keydown', (event) => this.#onTabKey(event));
    panel.append(tabs, this.#labelled('pages'), this.#labelled('outline'));
    panel.addEventListener('keydown', ({ key }) => key === 'Escape' && this.close());
    main.prepend(panel);
    toolbar.addFirst(this.#button);
    this.#button.ariaExpanded = 'false';
    this.#select('pages');
  }

  toggle(): void {
    if (this.#panel.hidden) this.open();
    else this.close();
  }

  open(): void {
    this.#panel.hidden = false;
    this.#button.ariaExpanded = 'true';
    this.main.classList.add('with-panel');
    this.#thumbnails ??= new Thumbnails(this.view, this.pdf, this.#pages, (page) => {
      this.view.goTo(page);
      this.#closeIfCovering();
    });
    this.#thumbnails.show(this.view.current);
  }

  close(): void {
    this.#panel.hidden = true;
    this.#button.ariaExpanded = 'false';
    this.main.classList.remove('with-panel');
    this.#button.focus();
  }

  showPage(number: number): void {
    if (!this.#panel.hidden) this.#thumbnails?.show(number);
  }

  /** Where the panel covers the document, it closes after a choice. */
  #closeIfCovering(): void {
    if (this.main.clientWidth < 600) this.close();
  }

  #tab(name: Tab, text: string): HTMLButtonElement {
    const properties = { type: 'button', role: 'tab', id: `tab-${name}` } as const;
    const tab = createElement('button', properties, text);
    tab.setAttribute('aria-controls', `panel-${name}`);
    tab.addEventListener('click', () => this.#select(name));
    return tab;
  }

  #labelled(name: Tab): HTMLElement {
    const element = this.#content(name);
    element.id = `panel-${name}`;
    element.role = 'tabpanel';
    element.setAttribute('aria-labelledby', `tab-${name}`);
    return element;
  }

  #content(name: Tab): HTMLElement {
    return name === 'pages' ? this.#pages : this.#outline;
  }

  #select(name: Tab): void {
    for (const other of ['pages', 'outline'] as const) {
      const isSelected = other === name;
      this.#tabs[other].ariaSelected = String(isSelected);
      this.#tabs[other].tabIndex = isSelected ? 0 : -1;
      this.#content(other).hidden = !isSelected;
    }
    if (name === 'pages') this.#thumbnails?.show(this.view.current);
    else if (!this.#isOutlineLoaded) void this.#loadOutline();
  }

  #onTabKey(event: KeyboardEvent): void {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    const name = this.#tabs.pages.ariaSelected === 'true' ? 'outline' : 'pages';
    this.#select(name);
    this.#tabs[name].focus();
  }

  async #loadOutline(): Promise<void> {
    this.#isOutlineLoaded = true;
    this.#outline.replaceChildren(
      await createOutline(this.pdf, this.view.links, () => this.#closeIfCovering()),
    );
  }
}
