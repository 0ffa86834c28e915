import { fork } from 'node:child_process';
import { type FromProgram, readBytesMax, type ToProgram } from './messages.ts';

export type PdfSource = {
  readonly sizeBytes: number;
  read(offset: number, length: number): AsyncIterable<Uint8Array>;
};

export type ProgramOptions = {
  readonly file: string;
  readonly startMs: number;
  readonly countMs: number;
  readonly trailingBodyMs: number;
  readonly memoryBytesMax: number;
};

export type CountingProgram = {
  isRunning(): boolean;
  /** Counts one PDF at a time. Returns 0 if the program fails or exceeds a limit. Never throws. */
  count(source: PdfSource): Promise<number>;
  end(): void;
};

type Count = { readonly source: PdfSource; settle(pages: number): void; timer: NodeJS.Timeout };

/** Starts the program without access to the service's settings or open files. */
export function startProgram(options: ProgramOptions): CountingProgram {
  const { startMs, countMs, trailingBodyMs } = options;
  const child = fork(options.file, [String(options.memoryBytesMax)], {
    env: {},
    execArgv: ['--disallow-code-generation-from-strings'],
    serialization: 'advanced',
    stdio: 'ignore',
  });
  let isRunning = true;
  let current: Count | undefined;
  let rest: NodeJS.Timeout | undefined;

  function end(): void {
    if (!isRunning) return;
    isRunning = false;
    clearTimeout(rest);
    child.kill('SIGKILL');
    settle(0);
  }

  function settle(pages: number): void {
    clearTimeout(current?.timer);
    current?.settle(pages);
    current = undefined;
    if (isRunning) rest = setTimeout(end, trailingBodyMs).unref();
  }

  function say(message: ToProgram): void {
    if (isRunning) child.send(message);
  }

  async function answerRead(count: Count, offset: number, length: number): Promise<void> {
    const { source } = count;
    const isWithin = offset >= 0 && length > 0 && offset + length <= source.sizeBytes;
    if (!isWithin || length > readBytesMax) return end();
    const chunks: Uint8Array[] = [];
    for await (const chunk of source.read(offset, length)) chunks.push(chunk);
    if (current === count) say({ kind: 'bytes', bytes: Buffer.concat(chunks) });
  }

  let hasStarted = false;
  child.on('message', (message: FromProgram | null) => {
    if (current === undefined) return;
    // A malicious PDF may control the program, so no message may make this listener throw.
    if (typeof message !== 'object' || message === null) return end();
    if (message.kind === 'counted') {
      settle(isCount(message.pages) ? message.pages : 0);
      if (message.isSpent) end();
      return;
    }
    if (!hasStarted) {
      hasStarted = true;
      clearTimeout(current.timer);
      current.timer = setTimeout(end, countMs);
    }
    answerRead(current, message.offset, message.length).catch(end);
  });
  child.on('exit', end).on('error', end);
  child.unref();
  child.channel?.unref();

  return {
    isRunning: () => isRunning,
    count: (source) =>
      new Promise((resolve) => {
        clearTimeout(rest);
        const timer = setTimeout(end, hasStarted ? countMs : startMs);
        current = { source, settle: resolve, timer };
        say({ kind: 'count', sizeBytes: source.sizeBytes });
      }),
    end,
  };
}

/** Whether the number fits in the field `page_count` (uint32). */
const isCount = (pages: number) => Number.isInteger(pages) && pages > 0 && pages <= 4_294_967_295;
