// Keeps files open between reads, but only a limited number, and not while their readers pause.
import { type FileHandle, open } from 'node:fs/promises';

export type ReadHandles = {
  of(file: string): ReadHandle;
};

export type ReadHandle = {
  /** `isNew`: the file was opened for this call. Waits while too many files are in use. */
  use(): Promise<{ readonly handle: FileHandle; readonly isNew: boolean }>;
  release(): void;
  close(): Promise<void>;
};

export type ReadHandleLimits = {
  readonly openMax: number;
  readonly idleMs: number;
};

/**
 * Less than a quarter of the usual limit of 1,024 descriptors. A download of a deleted document
 * ends early if its file was closed, so a short pause of the reader does not close it.
 */
const defaultLimits: ReadHandleLimits = { openMax: 200, idleMs: 5_000 };

export function createReadHandles(limits: Partial<ReadHandleLimits> = {}): ReadHandles {
  const { openMax, idleMs } = { ...defaultLimits, ...limits };
  const idle = new Map<OpenFile, number>();
  const waiting: (() => void)[] = [];
  let places = openMax;
  let isScheduled = false;

  async function takePlace(): Promise<void> {
    const [longest] = idle.keys();
    if (places === 0 && longest !== undefined) void longest.close();
    if (places > 0) places--;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
  }

  function givePlace(): void {
    const next = waiting.shift();
    if (next === undefined) places++;
    else next();
  }

  function closeIdle(): void {
    isScheduled = false;
    const latest = performance.now() - idleMs;
    for (const [file, since] of idle) {
      if (since > latest) break;
      void file.close();
    }
    if (idle.size > 0) schedule();
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(closeIdle, idleMs).unref();
  }

  class OpenFile implements ReadHandle {
    readonly #file: string;
    #handle: FileHandle | undefined;

    constructor(file: string) {
      this.#file = file;
    }

    async use() {
      idle.delete(this);
      if (this.#handle !== undefined) return { handle: this.#handle, isNew: false };
      await takePlace();
      try {
        this.#handle = await open(this.#file, 'r');
      } catch (error) {
        givePlace();
        throw error;
      }
      return { handle: this.#handle, isNew: true };
    }

    release(): void {
      if (this.#handle === undefined) return;
      if (waiting.length > 0) {
        void this.close();
        return;
      }
      idle.set(this, performance.now());
      schedule();
    }

    async close(): Promise<void> {
      idle.delete(this);
      const handle = this.#handle;
      this.#handle = undefined;
      // Reading does not depend on the result.
      await handle
        ?.close()
        .catch(() => {})
        .finally(givePlace);
    }
  }

  return { of: (file) => new OpenFile(file) };
}
