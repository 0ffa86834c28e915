/** Opens a PDF with pdf.js, which is loaded only when needed. */
import type { PDFDataRangeTransport, PDFDocumentProxy } from 'pdfjs-dist';
import { chunkBytes, type FileSource } from '../loading/file-source.ts';
import type { LoadProblem } from '../loading/persistent-requests.ts';
import { startWorker } from '../shell/trusted-types.ts';

export type Pdfjs = typeof import('./pdfjs.ts');

export interface Engine {
  readonly pdfjs: Promise<Pdfjs>;
  readonly worker: Worker;
  /** Rejects if the script of the worker cannot be loaded. */
  readonly workerLost: Promise<never>;
  pdf?: PDFDocumentProxy;
  isClosed: boolean;
  close(): void;
}

export interface OpenPdf {
  readonly pdfjs: Pdfjs;
  readonly pdf: PDFDocumentProxy;
}

/** `again`: whether the previous password was wrong. */
export type AskPassword = (again: boolean) => Promise<string>;

class EngineLost extends Error {}

/** Starts both downloads at once. The legacy build: readers may have old browsers. */
export function startPdfjs(): Engine {
  const worker = startWorker(`${PDFJS_FOLDER}pdf.worker.min.mjs`);
  const workerLost = new Promise<never>((_, reject) => {
    worker.onerror = () => reject(new EngineLost('worker'));
  });
  const pdfjs = import('./pdfjs.ts').catch((cause) => {
    throw new EngineLost('library', { cause });
  });
  // Both are awaited later; until then, a rejection must not be reported as unhandled.
  pdfjs.catch(() => {});
  workerLost.catch(() => {});
  return {
    pdfjs,
    worker,
    workerLost,
    isClosed: false,
    close() {
      this.isClosed = true;
      const ended = this.pdf?.loadingTask.destroy() ?? Promise.resolve();
      void ended.catch(() => {}).finally(() => worker.terminate());
    },
  };
}

export async function openPdf(
  engine: Engine,
  source: FileSource,
  askPassword: AskPassword,
): Promise<OpenPdf | LoadProblem> {
  try {
    return await Promise.race([open(engine, source, askPassword), engine.workerLost]);
  } catch (error) {
    if (!engine.isClosed) console.error(error);
    return error instanceof EngineLost ? 'busy' : 'broken';
  }
}

async function open(
  engine: Engine,
  source: FileSource,
  askPassword: AskPassword,
): Promise<OpenPdf> {
  const pdfjs = await engine.pdfjs;
  const verbosity = pdfjs.VerbosityLevel.ERRORS;
  const task = pdfjs.getDocument({
    ...(source.whole ? { data: source.whole } : { range: rangeTransport(pdfjs, source) }),
    worker: pdfjs.PDFWorker.create({ port: engine.worker, verbosity }),
    verbosity,
    rangeChunkSize: chunkBytes,
    disableStream: true,
    disableAutoFetch: true,
    enableXfa: false,
    useSystemFonts: false,
    standardFontDataUrl: `${PDFJS_FOLDER}standard_fonts/`,
    cMapUrl: `${PDFJS_FOLDER}cmaps/`,
    iccUrl: `${PDFJS_FOLDER}iccs/`,
    wasmUrl: `${PDFJS_FOLDER}wasm/`,
  });
  task.onPassword = async (submit: (password: string) => void, reason: number) => {
    submit(await askPassword(reason === pdfjs.PasswordResponses.INCORRECT_PASSWORD));
  };
  const pdf = await task.promise;
  engine.pdf = pdf;
  return { pdfjs, pdf };
}

function rangeTransport(pdfjs: Pdfjs, source: FileSource): PDFDataRangeTransport {
  const transport = new pdfjs.PDFDataRangeTransport(source.length, null);
  transport.requestDataRange = async (begin, end) => {
    transport.onDataRange(begin, await source.read(begin, end));
  };
  return transport;
}
