// Counts the pages of PDFs in a separate program, one PDF at a time. The program starts on demand
// and ends when it is idle. The queue is fair between workspaces.
import { createFairQueue } from '../../../base/limits/fair-share.ts';
import { type PdfSource, type ProgramOptions, startProgram } from './program-process.ts';

export type PageCounter = {
  /** 0 if unknown: broken, encrypted or expensive, or the queue is full. Never throws. */
  count(source: PdfSource, workspaceId: string): Promise<number>;
  stop(): void;
};

export type PageCounterOptions = Pick<ProgramOptions, 'file'> & { readonly limits?: Limits };

type Limits = Partial<Omit<ProgramOptions, 'file'> & typeof queueLimits>;

const queueLimits = {
  waitingMax: 100,
  /** A PDF that has waited longer is not counted. Longer than the count of another PDF. */
  waitMs: 10_000,
};

const programLimits = {
  startMs: 10_000,
  countMs: 5_000,
  trailingBodyMs: 30_000,
  memoryBytesMax: 256 * 1024 * 1024,
};

export function createPageCounter({ file, limits }: PageCounterOptions): PageCounter {
  const { waitingMax, waitMs } = { ...queueLimits, ...limits };
  const start = () => startProgram({ file, ...programLimits, ...limits });
  const waiting = createFairQueue<() => Promise<void>>(waitingMax);
  let program: ReturnType<typeof start> | undefined;
  let isCounting = false;
  let isStopped = false;

  /** Returns 0 if the program does not start. The next count tries again. */
  async function countNow(source: PdfSource): Promise<number> {
    try {
      if (program?.isRunning() !== true) program = start();
      return await program.count(source);
    } catch {
      return 0;
    }
  }

  async function countAll(): Promise<void> {
    if (isCounting) return;
    isCounting = true;
    for (let turn = waiting.next(); turn !== undefined; turn = waiting.next()) await turn();
    isCounting = false;
  }

  return {
    count(source, workspaceId) {
      const since = performance.now();
      const isLate = () => isStopped || performance.now() - since > waitMs;
      return new Promise((resolve) => {
        const turn = async () => resolve(isLate() ? 0 : await countNow(source));
        if (waiting.add([workspaceId], turn)) void countAll();
        else resolve(0);
      });
    },
    stop() {
      isStopped = true;
      program?.end();
    },
  };
}
