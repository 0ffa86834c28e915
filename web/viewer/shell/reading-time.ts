/** Measures how long each page is visible and reports it to the server. */

const reportMilliseconds = 15_000;

/** Reading a full page without any input takes less; after this time, the reader counts as away. */
const idleMilliseconds = 120_000;

/** The server accepts this many pages per report. */
const reportedPagesMax = 500;

/** A player that is playing counts, too. */
const inputs = [
  'pointerdown',
  'pointermove',
  'wheel',
  'touchmove',
  'scroll',
  'keydown',
  'timeupdate',
];

export class ReadingTime {
  /** Identifies this load of the viewer; the server adds up the times of all loads. */
  readonly #visit = randomText();
  /** Milliseconds by page; the most recently read page is last. */
  readonly #times = new Map<number, number>();
  #page: number | undefined;
  /** The end of the counted time; undefined while the document is hidden. */
  #counted: number | undefined;
  #lastInput = 0;
  #reported = '';

  constructor(private readonly address: string) {}

  /** Sets the current page; 0 for a file without pages. The first call starts the measurement. */
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

  /** The first report creates the view: the document is visible. */
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

  /** Reports totals, so that lost or repeated reports do no harm. */
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
