/** The question whether it is still the user who sits there (RFC 9470), asked of one at a time. */
import { Listeners } from '../shared/listeners.ts';

export class StepUp {
  readonly #listeners = new Listeners();
  readonly subscribe = this.#listeners.subscribe;
  #open: { readonly answer: Promise<boolean>; settle(isDone: boolean): void } | undefined;

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Asks the user to sign in again; tells whether they did. */
  ask(): Promise<boolean> {
    if (this.#open === undefined) {
      let settle = (_isDone: boolean) => {};
      const answer = new Promise<boolean>((resolve) => {
        settle = resolve;
      });
      this.#open = { answer, settle };
      this.#listeners.notify();
    }
    return this.#open.answer;
  }

  settle(isDone: boolean): void {
    this.#open?.settle(isDone);
    this.#open = undefined;
    this.#listeners.notify();
  }
}
