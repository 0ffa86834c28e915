// Writes the log without waiting for its reader. Lines wait in a bounded queue. If the queue is
// full, lines are dropped and counted.
import { fstatSync, openSync, write } from 'node:fs';

export type LogWriter = {
  write(line: string): void;
  writeLines(bytes: Buffer): void;
  /** Resolves after every queued line was written or dropped, or after `timeoutMs`. */
  flush(timeoutMs: number): Promise<void>;
  droppedLines(): number;
};

export type LogWriterOptions = {
  readonly file: string | undefined;
  readonly reportOf: (droppedLines: number) => string;
};

type Sink = (chunk: Buffer) => Promise<void>;

/** Lines are collected for this long, because separate writes are expensive. */
const gatherMs = 10;
const chunkBytesMax = 64 * 1024;
const queuedBytesMax = 8 * 1024 * 1024;

type Chunk = { readonly bytes: Buffer; readonly lines: number };

export function createLogWriter({ file, reportOf }: LogWriterOptions): LogWriter {
  return new QueuedWriter(openSink(file), reportOf);
}

class QueuedWriter implements LogWriter {
  readonly #sink: Sink;
  readonly #reportOf: (droppedLines: number) => string;
  readonly #gathered = Buffer.allocUnsafe(chunkBytesMax);
  #length = 0;
  #lines = 0;
  #timer: NodeJS.Timeout | undefined;
  #queue: Chunk[] = [];
  #queuedBytes = 0;
  #writing: Promise<void> | undefined;
  #dropped = 0;
  #reported = 0;

  constructor(sink: Sink, reportOf: (droppedLines: number) => string) {
    this.#sink = sink;
    this.#reportOf = reportOf;
  }

  droppedLines(): number {
    return this.#dropped;
  }

  write(line: string): void {
    // UTF-8 needs at most three bytes for each unit of a string.
    const lengthMax = line.length * 3;
    if (this.#length + lengthMax > chunkBytesMax) this.#queueLines();
    if (lengthMax > chunkBytesMax) {
      this.#enqueue({ bytes: Buffer.from(line), lines: 1 });
      return;
    }
    this.#length += this.#gathered.write(line, this.#length);
    this.#lines++;
    this.#timer ??= setTimeout(() => this.#queueLines(), gatherMs);
  }

  writeLines(bytes: Buffer): void {
    this.#queueLines();
    this.#enqueue({ bytes, lines: countLines(bytes) });
  }

  async flush(timeoutMs: number): Promise<void> {
    this.#queueLines();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([this.#writing, late]);
    clearTimeout(timer);
  }

  #queueLines(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines === 0) return;
    const bytes = Buffer.from(this.#gathered.subarray(0, this.#length));
    this.#enqueue({ bytes, lines: this.#lines });
    this.#length = 0;
    this.#lines = 0;
  }

  #enqueue(chunk: Chunk): void {
    if (this.#queuedBytes + chunk.bytes.length > queuedBytesMax) {
      this.#dropped += chunk.lines;
      return;
    }
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.bytes.length;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    for (let chunk = this.#queue.shift(); chunk !== undefined; chunk = this.#queue.shift()) {
      try {
        await this.#sink(chunk.bytes);
        await this.#report();
      } catch {
        this.#dropped += chunk.lines;
      }
      this.#queuedBytes -= chunk.bytes.length;
    }
  }

  /** Once a write has succeeded, reports the lines that were dropped before it. */
  async #report(): Promise<void> {
    const dropped = this.#dropped;
    if (dropped === this.#reported) return;
    await this.#sink(Buffer.from(this.#reportOf(dropped - this.#reported)));
    this.#reported = dropped;
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', end + 1)) lines++;
  return lines;
}

/** Opens the destination. Pipes are written asynchronously, so no thread waits for the reader. */
function openSink(file: string | undefined): Sink {
  if (file !== undefined) return fileSink(openSync(file, 'a', 0o600));
  const stat = fstatSync(1);
  return stat.isFIFO() || stat.isSocket() ? pipeSink(process.stdout) : fileSink(1);
}

function pipeSink(stream: NodeJS.WriteStream): Sink {
  // Each failure rejects the write of its chunk.
  stream.on('error', () => {});
  return (chunk) =>
    new Promise((resolve, reject) => {
      stream.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
}

function fileSink(fd: number): Sink {
  return async (chunk) => {
    for (let offset = 0; offset < chunk.length; ) offset += await writeSome(fd, chunk, offset);
  };
}

function writeSome(fd: number, chunk: Buffer, offset: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, chunk, offset, (error, written) => (error ? reject(error) : resolve(written)));
  });
}
