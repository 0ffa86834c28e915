import type { LoadProblem } from '../loading/persistent-requests.ts';
import { linkButton, textButton } from './buttons.ts';
import { createElement } from './create-element.ts';

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
  readonly #brief = createElement('p', { className: 'brief', role: 'status' });
  readonly #status = createElement('p', { className: 'unseen', role: 'status' });
  readonly #progress = createElement('div', {
    className: 'progress',
    role: 'progressbar',
    ariaLabel: 'Loading document',
  });
  #notice: HTMLElement | undefined;
  #briefTimer: ReturnType<typeof setTimeout> | undefined;
  #loaded = false;

  constructor(private readonly main: HTMLElement) {
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
    const notice = panel(title, '', [textButton('Cancel', cancel)]);
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
    if (retryAction && action) actions.push(textButton(action, retryAction));
    const { download } = this.main.dataset;
    if (problem === 'broken' && download) actions.push(linkButton('Download', download));
    const notice = panel(title, text, actions);
    notice.role = 'alert';
    if (!retry && !isUpdated) this.main.replaceChildren();
    this.#show(notice);
    notice.classList.toggle('bar', this.#loaded && (retry !== undefined || isUpdated));
  }

  askPassword(again: boolean): Promise<string> {
    const properties = { type: 'password', required: true, autocomplete: 'off' } as const;
    const input = createElement('input', properties);
    const form = createElement(
      'form',
      { className: 'gate' },
      createElement('label', {}, 'Password', input),
      createElement('button', {}, 'Open'),
    );
    const error = { className: 'error', role: 'alert' };
    if (again) form.prepend(createElement('p', error, 'Wrong password.'));
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
  const [heading, paragraph] = [createElement('h2', {}, title), createElement('p', {}, text)];
  return createElement('section', { className: 'notice' }, heading, paragraph, ...actions);
}
