// Reads something as a whole, and reads it again after it has changed.
export type Loader = {
  /** Returns whether nothing has changed since the last read began. */
  isCurrent(): boolean;
  noteChange(): void;
  /** Resolves when `isCurrent()`. Rejects if a read fails. */
  load(): Promise<void>;
};

/** `read` runs once at a time: a value must not be replaced by one that was read before it. */
export function createLoader(read: () => Promise<void>): Loader {
  let changes = 1;
  let loaded = 0;
  let loading: Promise<void> | undefined;
  const isCurrent = () => loaded === changes;

  async function readUntilCurrent(): Promise<void> {
    while (!isCurrent()) {
      const begin = changes;
      await read();
      loaded = begin;
    }
  }
  return {
    isCurrent,
    noteChange: () => void changes++,
    load() {
      loading ??= readUntilCurrent().finally(() => {
        loading = undefined;
      });
      return loading;
    },
  };
}
