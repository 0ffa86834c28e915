/** Those who want to be told of each change, such as React's `useSyncExternalStore`. */
export class Listeners {
  readonly #all = new Set<() => void>();

  /** Calls back after every change; returns what ends that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  };

  notify(): void {
    for (const listener of this.#all) listener();
  }
}
