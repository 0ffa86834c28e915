// How many pages a PDF has. They are counted by a program of its own, one PDF at a time, which is
// started when there is something to count and ended after a rest.
import { type PdfSource, type ProgramOptions, startProgram } from './program-process.ts';

export type PageCounter = {
  /**
   * 0 where it can't be told: broken, locked, too costly to read, or too many wait. Never throws.
   */
  count(source: PdfSource): Promise<number>;
  stop(): void;
};

export type PageCounterOptions = Pick<ProgramOptions, 'file'> & { readonly limits?: Limits };

type Limits = Partial<Omit<ProgramOptions, 'file'> & typeof queueLimits>;

const queueLimits = {
  waitingMax: 100,
  /** Who has waited that long is not counted any more. */
  waitMs: 5_000,
};

const programLimits = {
  startMs: 10_000,
  countMs: 5_000,
  restMs: 30_000,
  memoryBytesMax: 256 * 1024 * 1024,
};

export function createPageCounter({ file, limits }: PageCounterOptions): PageCounter {
  const { waitingMax, waitMs } = { ...queueLimits, ...limits };
  const start = () => startProgram({ file, ...programLimits, ...limits });
  let program: ReturnType<typeof start> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let isStopped = false;

  function countNow(source: PdfSource): Promise<number> {
    if (program?.isRunning() !== true) program = start();
    return program.count(source);
  }

  return {
    async count(source) {
      if (waiting === waitingMax) return 0;
      waiting++;
      const since = performance.now();
      const isLate = () => isStopped || performance.now() - since > waitMs;
      const turn = last.then(() => (isLate() ? 0 : countNow(source)));
      last = turn;
      const pages = await turn;
      waiting--;
      return pages;
    },
    stop() {
      isStopped = true;
      program?.end();
    },
  };
}
