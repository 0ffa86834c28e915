/** Listeners for changes, for `useSyncExternalStore`. */
export class Listeners {
  readonly #all = new Set<() => void>();

  /** Returns a function that unsubscribes. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  };

  notify(): void {
    for (const listener of this.#all) listener();
  }
}
