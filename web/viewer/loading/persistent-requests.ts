/** Retries requests on a bad connection: lost requests wait and are repeated together. */

export type LoadProblem = 'gone' | 'refused' | 'offline' | 'busy' | 'broken';

/** A response that a retry cannot change. */
export class FinalError extends Error {
  constructor(readonly problem: LoadProblem) {
    super(problem);
  }
}

/** A response that a retry may change. */
export class UnexpectedResponse extends Error {
  constructor(
    message: string,
    /** From the Retry-After header; 0 or NaN if absent. */
    readonly retryAfterSeconds: number,
  ) {
    super(message);
  }
}

/** Pauses before the retries that happen without a message. */
const quietPausesMilliseconds = [800, 2500];
const pauseMillisecondsMax = 10_000;

const inFlightMax = 6;

export class PersistentRequests {
  #stalled: (() => void)[] = [];
  #queued: (() => void)[] = [];
  #inFlight = 0;
  #over = false;

  /** `onProblem` gets no retry if a retry cannot help; all requests stop then. */
  constructor(
    private readonly onProblem: (problem: LoadProblem, retry?: () => void) => void,
    private readonly onRecovered: () => void,
  ) {
    addEventListener('online', () => this.#retry());
  }

  /** Resolves with the first successful attempt. Never rejects. */
  async persist<T>(attempt: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.#limited(attempt);
      } catch (error) {
        if (error instanceof FinalError) return this.#giveUp(error.problem);
        const pause = quietPausesMilliseconds[tries];
        if (pause !== undefined && navigator.onLine) await delay(longer(pause, error));
        else await this.#stall(error instanceof UnexpectedResponse ? 'busy' : 'offline');
      }
    }
  }

  async #limited<T>(attempt: () => Promise<T>): Promise<T> {
    while (this.#inFlight >= inFlightMax) {
      await new Promise<void>((resolve) => this.#queued.push(resolve));
    }
    if (this.#over) return never();
    this.#inFlight++;
    try {
      return await attempt();
    } finally {
      this.#inFlight--;
      this.#queued.shift()?.();
    }
  }

  #giveUp(problem: LoadProblem): Promise<never> {
    if (!this.#over) this.onProblem(problem);
    this.#over = true;
    return never();
  }

  #stall(problem: LoadProblem): Promise<void> {
    if (this.#over) return never();
    this.onProblem(problem, () => this.#retry());
    return new Promise((resolve) => this.#stalled.push(resolve));
  }

  #retry(): void {
    if (this.#over || this.#stalled.length === 0) return;
    this.onRecovered();
    for (const resume of this.#stalled.splice(0)) resume();
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
