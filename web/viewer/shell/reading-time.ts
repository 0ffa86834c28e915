/**
 * Measures how long each page is visible and reports it to the server. Between reports, asks the
 * server whether the reader still has access and the link still shows the same version.
 */
import { finalProblemOf } from '../loading/file-source.ts';
import type { LoadProblem } from '../loading/persistent-requests.ts';

const reportMilliseconds = 15_000;

/** A request that hangs would keep its connection. */
const answerMilliseconds = 10_000;

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

interface Addresses {
  readonly report: string;
  /** Of the file, if the reader may get it. */
  readonly file: string | undefined;
}

/** Each is called at most once. */
interface ReadingEvents {
  /** The reader has lost access. */
  onLost(problem: LoadProblem): void;
  /** The link shows another version now. */
  onUpdated(): void;
}

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

  #isUpdated = false;

  /** `version`: the version of the document that the page shows. */
  constructor(
    private readonly addresses: Addresses,
    private readonly version: string,
    private readonly events: ReadingEvents,
  ) {}

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
    let isLost = false;
    const timer = setInterval(() => void check(), reportMilliseconds);
    const check = async () => {
      const answer = await this.#reportOrAsk();
      const problem = finalProblemOf(answer?.status ?? 0);
      if (answer === undefined || isLost) return;
      const shown = answer.headers.get('Latchkey-Version') ?? this.version;
      if (problem === 'updated' || shown !== this.version) this.#noteUpdate();
      if (problem === undefined || problem === 'updated') return;
      isLost = true;
      clearInterval(timer);
      this.events.onLost(problem);
    };
    document.addEventListener('visibilitychange', () => void (document.hidden || check()));
    onVisibility();
  }

  #noteUpdate(): void {
    if (this.#isUpdated) return;
    this.#isUpdated = true;
    this.events.onUpdated();
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

  /** Reports totals, so that lost or repeated reports do no harm. Also works on a closing page. */
  #report(): void {
    const body = this.#nextReport();
    const { report } = this.addresses;
    if (body === undefined || navigator.sendBeacon?.(report, body)) return;
    fetch(report, { method: 'POST', body, keepalive: true }).catch(() => {});
  }

  /** Returns undefined without an answer. */
  async #reportOrAsk(): Promise<Response | undefined> {
    const { report, file } = this.addresses;
    const body = this.#nextReport();
    // Old browsers lack it.
    const signal = AbortSignal.timeout?.(answerMilliseconds) ?? null;
    try {
      if (body) return await fetch(report, { method: 'POST', body, signal });
      if (file) return await fetch(file, { method: 'HEAD', signal });
    } catch {
      // Without a connection, the reader keeps access.
    }
    return undefined;
  }

  #nextReport(): URLSearchParams | undefined {
    this.#count();
    const latest = [...this.#times].slice(-reportedPagesMax);
    const pages = latest.map(([page, time]) => `${page}:${Math.floor(time)}`).join();
    if (pages === this.#reported) return undefined;
    this.#reported = pages;
    return new URLSearchParams({ visit: this.#visit, pages, version: this.version });
  }
}

function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
