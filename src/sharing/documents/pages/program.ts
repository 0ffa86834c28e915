// Counts the pages of PDFs with pdf.js in a separate process, so that a malicious PDF cannot harm
// the service. program-process.ts enforces the time limit. A second thread enforces the memory
// limit here, because a PDF can block the first one. Any failure ends the process; the service then
// reports an unknown page count.
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import { startMemoryWatch, watchMemory } from '../../../base/limits/memory-watch.ts';
import { type FromProgram, readBytesMax, type ToProgram } from './messages.ts';

if (isMainThread) await serve(Number(process.argv[2]));
else watchMemory();

async function serve(memoryBytesMax: number): Promise<void> {
  const setBusy = startMemoryWatch(import.meta.url, memoryBytesMax);
  const countPages = await loadPdfjs();
  let deliver = (_bytes: Uint8Array) => {};
  const read = (offset: number, length: number) =>
    new Promise<Uint8Array>((resolve) => {
      deliver = resolve;
      send({ kind: 'read', offset, length });
    });
  process.on('message', async (message: ToProgram) => {
    if (message.kind === 'bytes') return deliver(message.bytes);
    setBusy(true);
    const pages = await countPages(message.sizeBytes, read);
    setBusy(false);
    send({ kind: 'counted', pages, isSpent: process.memoryUsage.rss() > memoryBytesMax / 2 });
  });
}

function send(message: FromProgram): void {
  process.send?.(message);
}

type Read = (offset: number, length: number) => Promise<Uint8Array>;

async function loadPdfjs() {
  // pdf.js needs these and Node 20 does not have them. DOMMatrix is only used for drawing.
  if (!('withResolvers' in Promise)) Object.assign(Promise, { withResolvers });
  Object.assign(globalThis, { DOMMatrix: class {} });
  // If pdf.js detects Node, it loads a native canvas.
  Object.assign(globalThis, { process: undefined });
  const pdfjs = await import('pdfjs-dist/legacy/build/pdf.mjs');
  Object.assign(globalThis, { process });
  // Otherwise, pdf.js loads its worker from a file, and the bundle has none.
  Object.assign(globalThis, {
    pdfjsWorker: await import('pdfjs-dist/legacy/build/pdf.worker.mjs'),
  });

  return async (sizeBytes: number, read: Read): Promise<number> => {
    let reading = Promise.resolve();
    class Source extends pdfjs.PDFDataRangeTransport {
      override requestDataRange(begin: number, end: number): void {
        reading = reading.then(async () => {
          this.onDataRange(begin, await readWhole(read, begin, end));
        });
      }
    }
    const task = pdfjs.getDocument({
      range: new Source(sizeBytes, null),
      disableAutoFetch: true,
      disableStream: true,
      useSystemFonts: false,
      useWasm: false,
      useWorkerFetch: false,
      enableXfa: false,
      verbosity: pdfjs.VerbosityLevel.ERRORS,
    });
    try {
      return (await task.promise).numPages;
    } catch {
      return 0;
    } finally {
      await task.destroy();
      await reading;
    }
  };
}

async function readWhole(read: Read, begin: number, end: number): Promise<Uint8Array> {
  const whole = new Uint8Array(end - begin);
  for (let at = begin; at < end; at += readBytesMax) {
    whole.set(await read(at, Math.min(readBytesMax, end - at)), at - begin);
  }
  return whole;
}

function withResolvers() {
  let resolve = (_value: unknown) => {};
  let reject = (_reason: unknown) => {};
  const promise = new Promise((resolvePromise, rejectPromise) => {
    resolve = resolvePromise;
    reject = rejectPromise;
  });
  return { promise, resolve, reject };
}
