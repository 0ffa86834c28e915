/** Asks the user to sign in again for a sensitive action (RFC 9470). One question at a time. */
import { Listeners } from '../shared/listeners.ts';

export class StepUp {
  readonly #listeners = new Listeners();
  readonly subscribe = this.#listeners.subscribe;
  #open: { readonly answer: Promise<boolean>; settle(isDone: boolean): void } | undefined;

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Resolves to whether the user signed in again. */
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
