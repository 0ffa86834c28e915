/** The search field of a PDF. */
import { iconButton } from '../shell/buttons.ts';
import type { Toolbar } from '../shell/toolbar.ts';
import type { Pdfjs } from './open-pdf.ts';
import type { PdfView } from './pdf-view.ts';

interface FindResult {
  readonly state?: number;
  readonly matchesCount: { readonly current: number; readonly total: number };
}

export class FindBar {
  readonly #form = document.createElement('form');
  readonly #field = document.createElement('input');
  readonly #count = document.createElement('span');
  readonly #button = iconButton('search', 'Search', () => this.toggle());

  constructor(
    private readonly pdfjs: Pdfjs,
    private readonly view: PdfView,
    main: HTMLElement,
    toolbar: Toolbar,
  ) {
    const form = this.#form;
    const field = this.#field;
    form.className = 'find';
    form.role = 'search';
    form.hidden = true;
    field.type = 'search';
    field.ariaLabel = 'Search in the document';
    field.placeholder = 'Search in the document';
    field.autocomplete = 'off';
    field.spellcheck = false;
    this.#count.className = 'count';
    this.#count.role = 'status';
    form.append(
      field,
      this.#count,
      iconButton('previousMatch', 'Previous match', () => this.#find('again', true)),
      iconButton('nextMatch', 'Next match', () => this.#find('again')),
      iconButton('close', 'Close search', () => this.close()),
    );
    main.prepend(form);
    this.#button.ariaExpanded = 'false';
    toolbar.addButton(this.#button);
    field.addEventListener('input', () => this.#find(''));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#find('again');
    });
    form.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
      if (event.key === 'Enter' && event.shiftKey) {
        event.preventDefault();
        this.#find('again', true);
      }
    });
    const show = (result: FindResult) => this.#show(result);
    view.eventBus.on('updatefindmatchescount', show);
    view.eventBus.on('updatefindcontrolstate', show);
    document.addEventListener('keydown', (event) => this.#onKey(event));
  }

  toggle(): void {
    if (this.#form.hidden) this.open();
    else this.close();
  }

  open(): void {
    this.#form.hidden = false;
    this.#button.ariaExpanded = 'true';
    this.#field.focus();
    this.#field.select();
    if (this.#field.value) this.#find('again');
  }

  close(): void {
    if (this.#form.hidden) return;
    this.#form.hidden = true;
    this.#button.ariaExpanded = 'false';
    this.view.eventBus.dispatch('findbarclose', { source: this });
    this.view.scroller.focus({ preventScroll: true });
  }

  #onKey(event: KeyboardEvent): void {
    if (!this.view.scroller.isConnected || event.altKey) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (isCommand && key === 'f') this.open();
    else if (event.key === 'F3' || (isCommand && key === 'g')) {
      if (this.#form.hidden) this.open();
      else this.#find('again', event.shiftKey);
    } else return;
    event.preventDefault();
  }

  #find(type: '' | 'again', findPrevious = false): void {
    const query = this.#field.value;
    if (!query) this.#count.textContent = '';
    this.view.eventBus.dispatch('find', {
      source: this,
      type,
      query,
      findPrevious,
      highlightAll: true,
      caseSensitive: false,
      entireWord: false,
      matchDiacritics: false,
    });
  }

  #show({ state, matchesCount: { current, total } }: FindResult): void {
    const { NOT_FOUND, PENDING } = this.pdfjs.FindState;
    const isMissing = state === NOT_FOUND && total === 0;
    this.#field.ariaInvalid = String(isMissing);
    if (!this.#field.value) this.#count.textContent = '';
    else if (isMissing) this.#count.textContent = 'No matches';
    else if (total > 0) this.#count.textContent = `${current} of ${total}`;
    else if (state === PENDING) this.#count.textContent = 'Searching …';
  }
}
