// Reads a whole set of data, and reads it again after a change.
export type Loader = {
  /** Returns whether nothing has changed since the last read began. */
  isCurrent(): boolean;
  noteChange(): void;
  load(): Promise<void>;
};

/** Never runs `read` twice at the same time, so that older data cannot replace newer data. */
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
