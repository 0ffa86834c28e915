import type { LoadProblem } from '../loading/persistent-requests.ts';

interface Wording {
  readonly title: string;
  readonly text: string;
  readonly action?: string;
}

const wordings: Record<LoadProblem, Wording> = {
  gone: {
    title: 'This link is no longer available',
    text: 'It expired, was revoked, or has no views left. Ask the sender for a new link.',
  },
  refused: {
    title: 'Confirm your access',
    text:
      'The sender changed who can open this link, or your access has expired. Continue to ' +
      'confirm your access and return to this page.',
    action: 'Continue',
  },
  offline: {
    title: 'No connection',
    text: 'Your device is offline. The document loads when the connection is back.',
    action: 'Try now',
  },
  busy: {
    title: 'The server doesn’t respond',
    text: 'Trying again …',
    action: 'Try now',
  },
  updated: {
    title: 'A newer version is available',
    text: 'The sender has replaced this document. This page shows the earlier version.',
    action: 'Show new version',
  },
  unmarked: {
    title: 'This document can’t be shown',
    text:
      'The sender requires a watermark, but this file can’t have one: it is encrypted, damaged ' +
      'or too large. Ask the sender for another file.',
  },
  broken: {
    title: 'This document can’t be shown',
    text: 'The file is damaged or has an unsupported format.',
  },
};

const briefMilliseconds = 6000;

export class Notices {
  readonly #brief = document.createElement('p');
  readonly #status = document.createElement('p');
  readonly #progress = document.createElement('div');
  #notice: HTMLElement | undefined;
  #briefTimer: ReturnType<typeof setTimeout> | undefined;
  #loaded = false;

  constructor(private readonly main: HTMLElement) {
    this.#status.className = 'unseen';
    this.#status.role = 'status';
    this.#progress.className = 'progress';
    this.#progress.role = 'progressbar';
    this.#progress.ariaLabel = 'Loading document';
    this.#brief.className = 'brief';
    this.#brief.role = 'status';
    main.append(this.#status, this.#progress, this.#brief);
  }

  showBriefly(text: string): void {
    this.#brief.textContent = text;
    clearTimeout(this.#briefTimer);
    this.#briefTimer = setTimeout(() => {
      this.#brief.textContent = '';
    }, briefMilliseconds);
  }

  showTask(title: string, cancel: () => void): { update(text: string): void; close(): void } {
    const notice = panel(title, '', [button('Cancel', cancel)]);
    notice.role = 'status';
    notice.classList.add('bar');
    this.main.append(notice);
    const text = notice.querySelector('p');
    return {
      update(progress) {
        if (text) text.textContent = progress;
      },
      close: () => notice.remove(),
    };
  }

  /** `share`: 0 to 1; absent if unknown. */
  showLoading(share?: number): void {
    if (share === undefined) {
      this.#status.textContent = 'Loading document';
      return;
    }
    const percent = Math.round(share * 100);
    this.#progress.ariaValueNow = String(percent);
    this.#progress.classList.add('known');
    this.#progress.style.setProperty('--share', `${percent}%`);
  }

  endLoading(): void {
    this.#progress.remove();
  }

  showLoaded(content: string): void {
    if (this.#loaded) return;
    this.#loaded = true;
    this.endLoading();
    this.#status.textContent = `Document loaded, ${content}`;
  }

  clear(): void {
    this.#notice?.remove();
    this.#notice = undefined;
    this.#progress.hidden = false;
  }

  /** Without a retry, the document is removed, except if it is only another version. */
  showProblem(problem: LoadProblem, retry?: () => void): void {
    const { title, text, action } = wordings[problem];
    const isUpdated = problem === 'updated';
    const retryAction = problem === 'refused' || isUpdated ? () => location.reload() : retry;
    const actions: HTMLElement[] = [];
    if (retryAction && action) actions.push(button(action, retryAction));
    const { download } = this.main.dataset;
    if (problem === 'broken' && download) actions.push(link('Download', download));
    const notice = panel(title, text, actions);
    notice.role = 'alert';
    if (!retry && !isUpdated) this.main.replaceChildren();
    this.#show(notice);
    notice.classList.toggle('bar', this.#loaded && (retry !== undefined || isUpdated));
  }

  askPassword(again: boolean): Promise<string> {
    const form = document.createElement('form');
    form.className = 'gate';
    const label = document.createElement('label');
    label.textContent = 'Password';
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
      error.textContent = 'Wrong password.';
      form.prepend(error);
    }
    const text = 'The file is encrypted. The password stays in this browser.';
    this.#show(panel('This document is password-protected', text, [form]));
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
