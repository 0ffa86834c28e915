export type PeriodicTask = {
  /** Waits for the current round and starts no other one. */
  stop(): Promise<void>;
};

export type PeriodicTaskOptions = {
  /** The pause between the end of a round and the start of the next, in milliseconds. */
  readonly pauseMs: number;
  /** Returns early if the signal is aborted. */
  readonly round: (signal: AbortSignal) => Promise<void>;
  readonly onError: (error: unknown) => void;
};

/** Runs a round at once and then repeatedly. An error ends only the current round. */
export function startPeriodicTask({ pauseMs, round, onError }: PeriodicTaskOptions): PeriodicTask {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void>;
  function run(): void {
    running = round(signal)
      .catch(onError)
      .then(() => {
        if (!signal.aborted) timer = setTimeout(run, pauseMs).unref();
      });
  }
  run();
  return {
    async stop() {
      controller.abort();
      await running;
      clearTimeout(timer);
    },
  };
}
