export type Repeated = {
  /** Ends after the round under way. */
  stop(): Promise<void>;
};

export type RepeatOptions = {
  /** From the end of a round to the next one, in milliseconds. */
  readonly pauseMs: number;
  /** Returns early once the signal is aborted. */
  readonly round: (signal: AbortSignal) => Promise<void>;
  readonly onError: (error: unknown) => void;
};

/** Runs a round at once and then again and again; an error ends its round only. */
export function repeat({ pauseMs, round, onError }: RepeatOptions): Repeated {
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
