/** The latest rank first: the page at which the reader looks comes before earlier requests. */

/**
 * `offline`: the device has no network. `busy`: the server does not answer, or with an error.
 * `unmarked`: the file cannot have the watermark that the link requires. `updated`: the link shows
 * another version of the document now.
 */
export type LoadProblem =
  | 'gone'
  | 'refused'
  | 'offline'
  | 'busy'
  | 'broken'
  | 'unmarked'
  | 'updated';

export class FinalError extends Error {
  constructor(readonly problem: LoadProblem) {
    super(problem);
  }
}

export class UnexpectedResponse extends Error {
  constructor(
    message: string,
    /** From the Retry-After header; 0 or NaN if absent. */
    readonly retryAfterSeconds: number,
  ) {
    super(message);
  }
}

const quietPausesMilliseconds = [800, 2500];
const pauseMillisecondsMax = 10_000;

const loudPausesMilliseconds = [2000, 4000, 8000, 15_000];

/** Few, because requests that are under way cannot be overtaken. */
const inFlightMax = 4;

interface Waiting {
  readonly rank: number;
  start(): void;
}

export class PersistentRequests {
  #stalled: (() => void)[] = [];
  #queued: Waiting[] = [];
  #inFlight = 0;
  #over = false;
  #problem: LoadProblem | undefined;
  #loudRetries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `onProblem` gets no retry if a retry cannot help; all requests stop then. */
  constructor(
    private readonly onProblem: (problem: LoadProblem, retry?: () => void) => void,
    private readonly onRecovered: () => void,
  ) {
    addEventListener('online', () => this.#retry());
  }

  /** Resolves with the first successful attempt. Never rejects. */
  async persist<T>(attempt: () => Promise<T>, rank = 0): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        const result = await this.#limited(attempt, rank);
        this.#recover();
        return result;
      } catch (error) {
        if (error instanceof FinalError) return this.#giveUp(error.problem);
        const pause = quietPausesMilliseconds[tries];
        if (pause !== undefined && navigator.onLine) await delay(longer(pause, error));
        else await this.#stall(connectionProblem());
      }
    }
  }

  async #limited<T>(attempt: () => Promise<T>, rank: number): Promise<T> {
    while (this.#inFlight >= inFlightMax) {
      await new Promise<void>((start) => this.#queued.push({ rank, start }));
    }
    if (this.#over) return never();
    this.#inFlight++;
    try {
      return await attempt();
    } finally {
      this.#inFlight--;
      this.#startNext();
    }
  }

  #startNext(): void {
    let next = 0;
    this.#queued.forEach(({ rank }, index) => {
      if (rank > (this.#queued[next]?.rank ?? rank)) next = index;
    });
    this.#queued.splice(next, 1)[0]?.start();
  }

  #giveUp(problem: LoadProblem): Promise<never> {
    if (!this.#over) this.onProblem(problem);
    this.#over = true;
    clearTimeout(this.#timer);
    return never();
  }

  #stall(problem: LoadProblem): Promise<void> {
    if (this.#over) return never();
    if (problem !== this.#problem) this.onProblem(problem, () => this.#retry());
    this.#problem = problem;
    const pause = loudPausesMilliseconds[this.#loudRetries] ?? loudPausesMilliseconds.at(-1);
    this.#timer ??= setTimeout(() => this.#retry(), pause);
    return new Promise((resolve) => this.#stalled.push(resolve));
  }

  #retry(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#over || this.#stalled.length === 0) return;
    this.#loudRetries++;
    for (const resume of this.#stalled.splice(0)) resume();
  }

  #recover(): void {
    if (this.#problem === undefined || this.#over) return;
    this.#problem = undefined;
    this.#loudRetries = 0;
    this.onRecovered();
    this.#retry();
  }
}

/** The reason why a request got no answer. */
export const connectionProblem = (): 'offline' | 'busy' => (navigator.onLine ? 'busy' : 'offline');

/** Never resolves if the server answers at once: then a reload would not help. */
export async function serverReturns(url: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const answers = await fetch(url, { method: 'HEAD', cache: 'no-store' }).then(
      ({ status }) => status < 500,
      () => false,
    );
    if (answers) return tries > 0 ? undefined : never();
    await delay(loudPausesMilliseconds[tries] ?? pauseMillisecondsMax);
  }
}

function longer(pauseMilliseconds: number, error: unknown): number {
  const asked = error instanceof UnexpectedResponse ? error.retryAfterSeconds * 1000 || 0 : 0;
  return Math.min(pauseMillisecondsMax, Math.max(pauseMilliseconds, asked));
}

function never(): Promise<never> {
  return new Promise(() => {});
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
