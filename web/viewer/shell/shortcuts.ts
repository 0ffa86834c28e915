/** Keys of the viewer that are single letters or signs, and the dialog that lists all keys. */
import { iconButton } from './buttons.ts';
import { createElement } from './create-element.ts';

export class Shortcuts {
  readonly #texts = new Map<string, string>();
  readonly #actions = new Map<string, () => void>();
  readonly #dialog = createElement('dialog', { className: 'shortcuts' });

  constructor() {
    this.#dialog.setAttribute('aria-labelledby', 'shortcuts');
    this.add('?', 'Show these keys', () => this.#open());
    document.addEventListener('keydown', (event) => this.#onKey(event));
  }

  add(key: string, text: string, action: () => void): void {
    this.describe(key, text);
    this.#actions.set(key.toLowerCase(), action);
  }

  describe(keys: string, text: string): void {
    this.#texts.set(keys, text);
  }

  #onKey(event: KeyboardEvent): void {
    const { key, target, altKey, ctrlKey, metaKey } = event;
    if (altKey || ctrlKey || metaKey || this.#dialog.open) return;
    if (target instanceof Element && target.closest('input, textarea, select')) return;
    const action = this.#actions.get(key.toLowerCase());
    if (!action || document.querySelector('#viewer > .notice:not(.bar)')) return;
    event.preventDefault();
    action();
  }

  #open(): void {
    const heading = createElement('h2', { id: 'shortcuts' }, 'Keyboard shortcuts');
    const list = createElement('dl');
    for (const [keys, text] of this.#texts) {
      const caps = keys.split(' ').map((key) => createElement('kbd', {}, key));
      list.append(createElement('dt', {}, ...caps), createElement('dd', {}, text));
    }
    const close = iconButton('close', 'Close', () => this.#dialog.close());
    this.#dialog.replaceChildren(heading, close, list);
    document.body.append(this.#dialog);
    this.#dialog.showModal();
  }
}
