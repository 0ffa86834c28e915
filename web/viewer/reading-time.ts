/** Measures how long the reader has each page before the eyes, and reports that to the server. */

const reportMilliseconds = 15_000;

/** A page full of text is read in less without a touch; after more, nobody is taken to be there. */
const idleMilliseconds = 120_000;

/** As many pages as a report may name. */
const reportedPagesMax = 500;

const inputs = ['pointerdown', 'pointermove', 'wheel', 'touchmove', 'scroll', 'keydown'];

export class ReadingTime {
  /** Tells this opening of the page from others, whose times are added to its own. */
  readonly #visit = randomText();
  /** Milliseconds by page, the page read last in the last place. */
  readonly #times = new Map<number, number>();
  #page: number | undefined;
  /** Until when it is counted; undefined while the page is hidden. */
  #counted: number | undefined;
  #lastInput = 0;
  #reported = '';

  constructor(private readonly address: string) {}

  /** The reader is on another page, 0 for none in particular. Counts from the first call on. */
  read(page: number): void {
    const begins = this.#page === undefined;
    this.#count();
    this.#page = page;
    if (begins) this.#begin();
  }

  #begin(): void {
    const onInput = () => {
      this.#count();
      this.#lastInput = performance.now();
    };
    for (const type of inputs) addEventListener(type, onInput, { capture: true, passive: true });
    const onVisibility = () => (document.hidden ? this.#pause() : this.#resume());
    document.addEventListener('visibilitychange', onVisibility);
    addEventListener('pagehide', () => this.#pause());
    addEventListener('pageshow', onVisibility);
    setInterval(() => this.#report(), reportMilliseconds);
    onVisibility();
  }

  #resume(): void {
    this.#count();
    this.#counted = performance.now();
    this.#lastInput = this.#counted;
    if (this.#reported === '') this.#beginView();
  }

  /** The first report makes the view: it says that the document is shown. */
  #beginView(): void {
    if (this.#page !== undefined) this.#times.set(this.#page, 0);
    this.#report();
  }

  #pause(): void {
    this.#report();
    this.#counted = undefined;
  }

  #count(): void {
    if (this.#counted === undefined || this.#page === undefined) return;
    const now = performance.now();
    const duration = Math.min(now, this.#lastInput + idleMilliseconds) - this.#counted;
    this.#counted = now;
    if (duration <= 0) return;
    const before = this.#times.get(this.#page) ?? 0;
    this.#times.delete(this.#page);
    this.#times.set(this.#page, before + duration);
  }

  /** Totals rather than steps, so that a report may be lost, or come twice. */
  #report(): void {
    this.#count();
    const latest = [...this.#times].slice(-reportedPagesMax);
    const pages = latest.map(([page, time]) => `${page}:${Math.floor(time)}`).join();
    if (pages === this.#reported) return;
    this.#reported = pages;
    const body = new URLSearchParams({ visit: this.#visit, pages });
    if (navigator.sendBeacon?.(this.address, body)) return;
    fetch(this.address, { method: 'POST', body, keepalive: true }).catch(() => {});
  }
}

function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
