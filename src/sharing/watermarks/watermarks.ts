// Stamps files for readers of a link with a watermark. Each file has a separate process, and a few
// run at a time. Stamped files are not kept, because each of them is for one reader.

import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LRUCache } from 'lru-cache';
import { fail } from '../../base/errors/errors.ts';
import { readPart } from '../../base/files/read-part.ts';
import { createFairAmounts, createFairQueue } from '../../base/limits/fair-share.ts';
import type { StampOrder } from './messages.ts';

export type UnstampedFile = StampOrder & {
  readonly workspaceId: string;
  readonly sha256: string;
  readonly network: string;
  /** Aborts if the reader closes the connection. */
  readonly signal: AbortSignal;
  bytes(): AsyncIterable<Uint8Array>;
};

/** A PDF in a temporary file without a name. */
export type StampedFile = {
  readonly sizeBytes: number;
  /** Closes the file at its end. */
  bytes(): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
};

export type Watermarks = {
  /**
   * Throws `conflict` for a file that cannot be stamped, `unavailable` if too many files wait, and
   * the errors of reading the file.
   */
  stamp(file: UnstampedFile): Promise<StampedFile>;
  stop(): void;
};

const defaultLimits = {
  /** Of one process of the service. */
  processesMax: 2,
  waitingMax: 50,
  waitMs: 30_000,
  /** Shorter than the wait, so that two slow files do not make the next one wait in vain. */
  stampMs: 15_000,
  memoryBytesMax: 768 * 1024 * 1024,
  fileBytesMax: 100 * 1024 * 1024,
  stampedBytesMax: 300 * 1024 * 1024,
  /** Of all stamped files that readers have not read to the end. */
  heldBytesMax: 2 * 1024 * 1024 * 1024,
  /** Each of them has an open file descriptor. */
  heldFilesMax: 200,
};

export type WatermarkOptions = {
  readonly file: string;
  readonly limits?: Partial<typeof defaultLimits>;
};

export function createWatermarks({ file: program, limits }: WatermarkOptions): Watermarks {
  const given = { ...defaultLimits, ...limits };
  const { processesMax, waitingMax, waitMs, fileBytesMax } = given;
  const waiting = createFairQueue<() => boolean>(waitingMax);
  const held = createFairAmounts(given.heldBytesMax);
  const heldBytesMin = Math.ceil(given.heldBytesMax / given.heldFilesMax);
  const children = new Set<ChildProcess>();
  /** By digest: readers cannot repeat the cost of a hostile file for five minutes. */
  const refused = new LRUCache<string, true>({ max: refusedMax, ttl: refusedMs });
  let running = 0;
  let isStopped = false;

  function requireShare({ network }: UnstampedFile): void {
    if (!held.hasShare(network)) throw busy();
  }

  function waitForTurn({ workspaceId, network, signal }: UnstampedFile): Promise<void> {
    if (isStopped) throw busy();
    signal.throwIfAborted();
    if (running < processesMax) {
      running++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      let isLate = false;
      const end = (error: unknown) => {
        isLate = true;
        clearTimeout(timer);
        reject(error);
      };
      const timer = setTimeout(() => end(busy()), waitMs);
      signal.addEventListener('abort', () => end(signal.reason), { once: true });
      const start = () => {
        clearTimeout(timer);
        resolve();
        return !isLate;
      };
      if (!waiting.add([workspaceId, network], start)) end(busy());
    });
  }

  function endTurn(): void {
    running--;
    for (let start = waiting.next(); start !== undefined; start = waiting.next()) {
      if (!start()) continue;
      running++;
      return;
    }
  }

  /** Writes the stamped file. Returns its size, or undefined if the file cannot be stamped. */
  async function stampInto(
    target: FileHandle,
    { signal, bytes, ...file }: UnstampedFile,
  ): Promise<number | undefined> {
    const child = startProgram(program, given.memoryBytesMax);
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null) throw new Error('the program has no pipes');
    children.add(child);
    const end = () => child.kill('SIGKILL');
    const timer = setTimeout(end, given.stampMs);
    signal.addEventListener('abort', end, { once: true });
    const closed = new Promise<number | null>((resolve, reject) => {
      child.once('close', resolve).once('error', () => reject(busy()));
    });
    closed.catch(() => {});
    try {
      let readError: unknown;
      pipeline(bytes(), stdin).catch((error) => {
        // The program may have ended before it read the whole file.
        if (!isBrokenPipe(error)) readError = error;
        end();
      });
      const { contentType, pages, text } = file;
      child.send({ contentType, sizeBytes: file.sizeBytes, pages, text }, () => {});
      let sizeBytes = 0;
      for await (const chunk of stdout) {
        sizeBytes += chunk.length;
        if (sizeBytes > given.stampedBytesMax) return undefined;
        await target.write(chunk);
      }
      const code = await closed;
      if (readError !== undefined) throw readError;
      return code === 0 ? sizeBytes : undefined;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      end();
      children.delete(child);
    }
  }

  return {
    async stamp(file) {
      if (file.sizeBytes > fileBytesMax || refused.has(file.sha256)) throw notStampable();
      requireShare(file);
      await waitForTurn(file);
      try {
        // The files that were stamped during the wait are unread, too.
        requireShare(file);
        const target = await openUnnamed();
        try {
          const sizeBytes = await stampInto(target, file);
          if (isStopped) throw busy();
          file.signal.throwIfAborted();
          if (sizeBytes === undefined) {
            refused.set(file.sha256, true);
            throw notStampable();
          }
          const heldBytes = Math.max(sizeBytes, heldBytesMin);
          held.add(file.network, heldBytes);
          return stampedFile(target, sizeBytes, () => held.add(file.network, -heldBytes));
        } catch (error) {
          await target.close();
          throw error;
        }
      } finally {
        endTurn();
      }
    },
    stop() {
      isStopped = true;
      for (const child of children) child.kill('SIGKILL');
    },
  };
}

const refusedMax = 1_000;
const refusedMs = 300_000;

/** Starts the program without access to the service's settings or open files. */
const startProgram = (program: string, memoryBytesMax: number) =>
  fork(program, [String(memoryBytesMax)], {
    env: {},
    execArgv: ['--disallow-code-generation-from-strings'],
    stdio: ['pipe', 'pipe', 'ignore', 'ipc'],
  });

async function openUnnamed(): Promise<FileHandle> {
  const name = path.join(tmpdir(), `latchkey-stamped-${randomUUID()}`);
  const handle = await open(name, 'wx+', 0o600);
  await unlink(name);
  return handle;
}

function stampedFile(handle: FileHandle, sizeBytes: number, onClose: () => void): StampedFile {
  let isOpen = true;
  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    onClose();
    await handle.close();
  }
  return {
    sizeBytes,
    async *bytes() {
      try {
        yield* readPart(handle, 0, sizeBytes);
      } finally {
        await close();
      }
    },
    close,
  };
}

const isBrokenPipe = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes(String(error.code));

const notStampable = () =>
  fail(
    'conflict',
    'The file cannot be watermarked: it is encrypted, damaged, or too large to stamp.',
  );

const busy = () =>
  fail('unavailable', 'Too many files are being watermarked.', { retryAfterSeconds: 5 });
