// Keeps files open between reads, and shares each file among its readers: a viewer reads a document
// in many ranges. The number of open files is limited, and no file stays open for long without a
// read.
import { type FileHandle, open } from 'node:fs/promises';

export type ReadHandles = {
  of(path: string): ReadHandle;
  /** For a file that is being removed: only its present readers keep it open. */
  forget(path: string): void;
};

export type OpenedFile = {
  readonly handle: FileHandle;
  /** The size of the file when it was opened. */
  readonly sizeBytes: number;
};

/** The file of one reader. */
export type ReadHandle = {
  /** Waits while too many files are in use. */
  use(): Promise<OpenedFile>;
  release(): void;
  /**
   * Ends the reading. Without a `release` before it, the read has failed: new readers open the file
   * again.
   */
  end(): void;
};

export type ReadHandleLimits = {
  readonly openMax: number;
  /**
   * How long a file stays open without a read. New readers share a file only for this long after it
   * was opened.
   */
  readonly idleMs: number;
};

/**
 * Less than a quarter of the usual limit of 1,024 descriptors. A download of a deleted document
 * ends early if its file was closed, so a short pause of the reader does not close it.
 */
const defaultLimits: ReadHandleLimits = { openMax: 200, idleMs: 5_000 };

export function createReadHandles(limits: Partial<ReadHandleLimits> = {}): ReadHandles {
  const { openMax, idleMs } = { ...defaultLimits, ...limits };
  const shared = new Map<string, SharedFile>();
  const idle = new Map<SharedFile, number>();
  const waiting: (() => void)[] = [];
  let places = openMax;
  let isScheduled = false;

  async function takePlace(): Promise<void> {
    const [longest] = idle.keys();
    if (places === 0) longest?.close();
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
      file.close();
    }
    if (idle.size > 0) schedule();
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(closeIdle, idleMs).unref();
  }

  class SharedFile {
    readonly #path: string;
    #openTime = 0;
    #opened: Promise<OpenedFile> | undefined;
    #readers = 0;
    #uses = 0;

    constructor(path: string) {
      this.#path = path;
    }

    get isFresh(): boolean {
      return performance.now() - this.#openTime < idleMs;
    }

    join(): this {
      this.#readers++;
      return this;
    }

    leave(): void {
      this.#readers--;
      this.#closeIfUnused();
    }

    async use(): Promise<OpenedFile> {
      idle.delete(this);
      this.#uses++;
      this.#opened ??= this.#open();
      try {
        return await this.#opened;
      } catch (error) {
        this.#uses--;
        throw error;
      }
    }

    release(): void {
      this.#uses--;
      if (this.#uses > 0) return;
      idle.set(this, performance.now());
      if (waiting.length > 0) this.close();
      else schedule();
    }

    unshare(): void {
      if (shared.get(this.#path) !== this) return;
      shared.delete(this.#path);
      this.#closeIfUnused();
    }

    close(): void {
      idle.delete(this);
      this.unshare();
      const opened = this.#opened;
      this.#opened = undefined;
      // Reading does not depend on the result.
      opened
        ?.then(({ handle }) => handle.close())
        .catch(() => {})
        .finally(givePlace);
    }

    #closeIfUnused(): void {
      if (this.#readers === 0 && idle.has(this) && shared.get(this.#path) !== this) this.close();
    }

    async #open(): Promise<OpenedFile> {
      // New readers share the file while it waits for its place.
      this.#openTime = Number.POSITIVE_INFINITY;
      const other = shared.get(this.#path);
      shared.set(this.#path, this);
      if (other !== undefined) other.#closeIfUnused();
      await takePlace();
      let handle: FileHandle | undefined;
      try {
        handle = await open(this.#path, 'r');
        this.#openTime = performance.now();
        return { handle, sizeBytes: (await handle.stat()).size };
      } catch (error) {
        this.#opened = undefined;
        this.unshare();
        await handle?.close().catch(() => {});
        givePlace();
        throw error;
      }
    }
  }

  function share(path: string): SharedFile {
    const known = shared.get(path);
    return known?.isFresh ? known : new SharedFile(path);
  }

  class Reader implements ReadHandle {
    readonly #path: string;
    #file: SharedFile | undefined;
    #isInUse = false;

    constructor(path: string) {
      this.#path = path;
    }

    async use(): Promise<OpenedFile> {
      this.#file ??= share(this.#path).join();
      const opened = await this.#file.use();
      this.#isInUse = true;
      return opened;
    }

    release(): void {
      this.#isInUse = false;
      this.#file?.release();
    }

    end(): void {
      if (this.#isInUse) {
        this.#file?.unshare();
        this.release();
      }
      this.#file?.leave();
      this.#file = undefined;
    }
  }

  return {
    of: (path) => new Reader(path),
    forget: (path) => shared.get(path)?.unshare(),
  };
}
