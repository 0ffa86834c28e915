/** The question whether it is still the user who sits there (RFC 9470), asked of one at a time. */

export class StepUp {
  readonly #listeners = new Set<() => void>();
  #open: { readonly answer: Promise<boolean>; settle(isDone: boolean): void } | undefined;

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Calls back after every change; returns what ends that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Asks the user to sign in again; tells whether they did. */
  ask(): Promise<boolean> {
    if (this.#open === undefined) {
      let settle = (_isDone: boolean) => {};
      const answer = new Promise<boolean>((resolve) => {
        settle = resolve;
      });
      this.#open = { answer, settle };
      this.#tell();
    }
    return this.#open.answer;
  }

  settle(isDone: boolean): void {
    this.#open?.settle(isDone);
    this.#open = undefined;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
