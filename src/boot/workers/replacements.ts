// Decides when a worker that has ended is replaced.

/** A worker that lived for longer than this is replaced at once. */
const stableMs = 10_000;
const firstPauseMs = 100;
const pauseMsMax = 10_000;
const outagePauseMsMax = 1_000;

export type ReplacementOptions = {
  readonly size: number;
  readonly isServing: () => boolean;
  readonly start: () => void;
};

export class Replacements {
  readonly #options: ReplacementOptions;
  readonly #pauses = new Map<NodeJS.Timeout, number>();
  #failures = 0;

  constructor(options: ReplacementOptions) {
    this.#options = options;
  }

  add(startTime: number): void {
    const now = performance.now();
    const isStable = now - startTime >= stableMs;
    this.#failures = isStable ? 0 : this.#failures + 1;
    const repeated = Math.min(this.#failures - this.#options.size, 20);
    const pauseMs = repeated <= 0 ? 0 : Math.min(firstPauseMs * 2 ** (repeated - 1), pauseMsMax);
    const ends = [...this.#pauses.values(), now + pauseMs];
    this.stop();
    const latest = this.#options.isServing() ? Number.POSITIVE_INFINITY : now + outagePauseMsMax;
    for (const end of ends) this.#startAt(Math.min(end, latest));
  }

  #startAt(time: number): void {
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      this.#options.start();
    }, time - performance.now());
    this.#pauses.set(pause, time);
  }

  stop(): void {
    for (const pause of this.#pauses.keys()) clearTimeout(pause);
    this.#pauses.clear();
  }
}
