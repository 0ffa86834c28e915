/** What the viewer says to the reader: progress, problems, and the question for a password. */
import type { LoadProblem } from './persistent-requests.ts';

interface Wording {
  readonly title: string;
  readonly text: string;
  /** What the retry button says, where there is one. */
  readonly action?: string;
}

const wordings: Record<LoadProblem, Wording> = {
  gone: {
    title: 'This link is no longer available',
    text: 'It has expired or was withdrawn. Ask the person who shared it for a new one.',
  },
  refused: {
    title: 'Please confirm your access',
    text:
      'The sender has changed what this link asks for, or it was long ago that you opened it. ' +
      'Continue, and you come back to where you were.',
    action: 'Continue',
  },
  offline: {
    title: 'You seem to be offline',
    text: 'Check your connection, then try again.',
    action: 'Try again',
  },
  busy: {
    title: 'The document cannot be loaded right now',
    text: 'The server did not answer as expected. Try again in a moment.',
    action: 'Try again',
  },
  broken: {
    title: 'This document cannot be shown',
    text: 'The file is damaged, or it is of a kind that this page cannot read.',
  },
};

export class Notices {
  readonly #status = document.createElement('p');
  readonly #progress = document.createElement('div');
  #notice: HTMLElement | undefined;
  #loaded = false;

  constructor(private readonly main: HTMLElement) {
    this.#status.className = 'unseen';
    this.#status.role = 'status';
    this.#progress.className = 'progress';
    this.#progress.role = 'progressbar';
    this.#progress.ariaLabel = 'Loading the document';
    main.append(this.#status, this.#progress);
  }

  /** `share`: 0 to 1, absent while it is not known. */
  loading(share?: number): void {
    if (share === undefined) {
      this.#status.textContent = 'Loading the document';
      return;
    }
    const percent = Math.round(share * 100);
    this.#progress.ariaValueNow = String(percent);
    this.#progress.classList.add('known');
    this.#progress.style.setProperty('--share', `${percent}%`);
  }

  /** `what` has been loaded, such as "3 pages". */
  loaded(what: string): void {
    if (this.#loaded) return;
    this.#loaded = true;
    this.#progress.remove();
    this.#status.textContent = `Document loaded, ${what}`;
  }

  clear(): void {
    this.#notice?.remove();
    this.#notice = undefined;
    this.#progress.hidden = false;
  }

  /** Without a retry nothing of the document stays on the page. */
  problem(problem: LoadProblem, retry?: () => void): void {
    const { title, text, action } = wordings[problem];
    const again = problem === 'refused' ? () => location.reload() : retry;
    const actions: HTMLElement[] = [];
    if (again && action) actions.push(button(action, again));
    const { download } = this.main.dataset;
    if (problem === 'broken' && download) actions.push(link('Download the file', download));
    const notice = panel(title, text, actions);
    notice.role = 'alert';
    if (!retry) this.main.replaceChildren();
    this.#show(notice);
    notice.classList.toggle('bar', this.#loaded && retry !== undefined);
  }

  askPassword(again: boolean): Promise<string> {
    const form = document.createElement('form');
    form.className = 'gate';
    const label = document.createElement('label');
    label.textContent = 'Password of the document';
    const input = document.createElement('input');
    input.type = 'password';
    input.required = true;
    input.autocomplete = 'off';
    label.append(input);
    const submit = document.createElement('button');
    submit.textContent = 'Open';
    form.append(label, submit);
    if (again) {
      const error = document.createElement('p');
      error.className = 'error';
      error.role = 'alert';
      error.textContent = 'That password is wrong.';
      form.prepend(error);
    }
    const text = 'The file itself is encrypted. The password stays in this browser.';
    this.#show(panel('This document asks for a password', text, [form]));
    input.focus();
    return new Promise((resolve) => {
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        this.clear();
        resolve(input.value);
      });
    });
  }

  #show(notice: HTMLElement): void {
    this.#notice?.remove();
    this.#notice = notice;
    this.#progress.hidden = true;
    this.main.append(notice);
  }
}

function panel(title: string, text: string, actions: HTMLElement[]): HTMLElement {
  const section = document.createElement('section');
  section.className = 'notice';
  const heading = document.createElement('h2');
  heading.textContent = title;
  const paragraph = document.createElement('p');
  paragraph.textContent = text;
  section.append(heading, paragraph, ...actions);
  return section;
}

function button(text: string, onClick: () => void): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.className = 'button';
  element.textContent = text;
  element.addEventListener('click', onClick);
  return element;
}

function link(text: string, href: string): HTMLAnchorElement {
  const element = document.createElement('a');
  element.className = 'button';
  element.href = href;
  element.textContent = text;
  return element;
}
