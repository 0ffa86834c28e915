import { iconButton } from './buttons.ts';
import { createElement } from './create-element.ts';
import type { Shell } from './shell.ts';

export interface FindResult {
  readonly current: number;
  readonly total: number;
  readonly isPending: boolean;
}

export type FindStep = 'first' | 'next' | 'previous';

export interface Searchable {
  readonly scroller: HTMLElement;
  find(query: string, step: FindStep): void;
  end(): void;
  onResult(show: (result: FindResult) => void): void;
}

export class FindBar {
  readonly #form = createElement('form', { className: 'find', role: 'search', hidden: true });
  readonly #field = createElement('input', {
    type: 'search',
    ariaLabel: 'Search in the document',
    placeholder: 'Search in the document',
    autocomplete: 'off',
    spellcheck: false,
  });
  readonly #count = createElement('span', { className: 'count', role: 'status' });
  readonly #button = iconButton('search', 'Search', () => this.toggle());

  constructor(
    private readonly searchable: Searchable,
    private readonly shell: Shell,
  ) {
    const { main, toolbar, shortcuts } = shell;
    const form = this.#form;
    const field = this.#field;
    form.append(
      field,
      this.#count,
      iconButton('previousMatch', 'Previous match', () => this.#find('previous')),
      iconButton('nextMatch', 'Next match', () => this.#find('next')),
      iconButton('close', 'Close search', () => this.close()),
    );
    // Not inside a scrolling element, with which it would move.
    if (main === searchable.scroller) main.before(form);
    else main.prepend(form);
    this.#button.ariaExpanded = 'false';
    toolbar.addButton(this.#button);
    field.addEventListener('input', () => this.#find('first'));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#find('next');
    });
    form.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
      if (event.key === 'Enter' && event.shiftKey) {
        event.preventDefault();
        this.#find('previous');
      }
    });
    searchable.onResult((result) => this.#show(result));
    shortcuts.add('/', 'Search', () => this.open());
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
    if (this.#field.value) this.#find('next');
  }

  close(): void {
    if (this.#form.hidden) return;
    this.#form.hidden = true;
    this.#button.ariaExpanded = 'false';
    this.searchable.end();
    this.searchable.scroller.focus({ preventScroll: true });
  }

  #onKey(event: KeyboardEvent): void {
    const { scroller } = this.searchable;
    if (!scroller.isConnected || this.shell.ended.aborted || event.altKey) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (isCommand && key === 'f') this.open();
    else if (event.key === 'F3' || (isCommand && key === 'g')) {
      if (this.#form.hidden) this.open();
      else this.#find(event.shiftKey ? 'previous' : 'next');
    } else return;
    event.preventDefault();
  }

  #find(step: FindStep): void {
    const query = this.#field.value;
    if (!query) this.#count.textContent = '';
    this.searchable.find(query, step);
  }

  #show({ current, total, isPending }: FindResult): void {
    const isMissing = total === 0 && !isPending;
    this.#field.ariaInvalid = String(isMissing && this.#field.value !== '');
    if (!this.#field.value) this.#count.textContent = '';
    else if (isMissing) this.#count.textContent = 'No matches';
    else if (total > 0) this.#count.textContent = `${current} of ${total}`;
    else this.#count.textContent = 'Searching …';
  }
}
