// Runs one task at a time for each key.

export type KeyedQueue = {
  /** Throws `refusal()` and does not run the task if earlier ones exceed the time limit. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
};

export function createKeyedQueue(waitMsMax: number, refusal: () => Error): KeyedQueue {
  const last = new Map<string, Promise<unknown>>();

  async function wait(earlier: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(refusal()), waitMsMax);
    });
    await Promise.race([earlier, late]).finally(() => clearTimeout(timer));
  }

  async function runAfter<T>(earlier: Promise<unknown> | undefined, task: () => Promise<T>) {
    if (earlier !== undefined) await wait(earlier);
    return task();
  }

  return {
    run(key, task) {
      const earlier = last.get(key);
      const result = runAfter(earlier, task);
      // A refused task ends before the tasks that it waited for.
      const ended = Promise.allSettled([earlier, result]).then(() => {
        if (last.get(key) === ended) last.delete(key);
      });
      last.set(key, ended);
      return result;
    },
  };
}
