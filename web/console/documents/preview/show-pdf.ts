/** Shows a PDF inside an element, with the modules of the link viewer. */
import type { Document } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { openPdf, startPdfjs } from '../../../viewer/pdf/open-pdf.ts';
import { PdfView } from '../../../viewer/pdf/pdf-view.ts';
import { createZooming, type Zooming } from '../../../viewer/shell/zoom.ts';
import type { Session } from '../../session/session.ts';
import { openSource } from './document-source.ts';

export type PdfState =
  | { readonly status: 'loading' }
  | {
      readonly status: 'shown';
      readonly total: number;
      readonly zooming: Zooming;
    }
  /** `isWrong`: whether the previous password was wrong. */
  | { readonly status: 'locked'; readonly isWrong: boolean; submit(password: string): void }
  | { readonly status: 'broken' }
  | { readonly status: 'failed'; readonly error: unknown };

export type PdfPreviewOptions = {
  readonly session: Session;
  readonly document: Document;
  /** The positioned element that the pages fill. */
  readonly scroller: HTMLElement;
  readonly onState: (state: PdfState) => void;
  /** Receives the number of the current page, from 1. */
  readonly onPage: (number: number) => void;
};

/** Returns a function that stops it and releases its memory. */
export function showPdfPreview(options: PdfPreviewOptions): () => void {
  const closing = new AbortController();
  const engine = startPdfjs();
  closing.signal.addEventListener('abort', () => engine.close());
  // A failure is final: later events must not replace it.
  const fail = (error: unknown) => {
    if (closing.signal.aborted) return;
    closing.abort();
    options.onState({ status: 'failed', error });
  };
  void show(options, engine, closing.signal, fail).catch(fail);
  return () => closing.abort();
}

async function show(
  { session, document, scroller, onState, onPage }: PdfPreviewOptions,
  engine: ReturnType<typeof startPdfjs>,
  closing: AbortSignal,
  fail: (error: unknown) => void,
): Promise<void> {
  const source = await openSource(session, document, closing, fail);
  const askPassword = (isWrong: boolean) =>
    new Promise<string>((submit) => {
      if (!closing.aborted) onState({ status: 'locked', isWrong, submit });
    });
  const outcome = await openPdf(engine, source, askPassword);
  if (closing.aborted) return;
  if (outcome === 'broken') return onState({ status: 'broken' });
  if (typeof outcome === 'string') return fail(new Error('The PDF viewer could not be loaded.'));
  const { pdf } = outcome;
  const view = new PdfView({ ...outcome, parent: scroller, onPage });
  view.scroller.tabIndex = 0;
  view.scroller.role = 'region';
  view.scroller.ariaLabel = 'Pages of the document';
  view.zoomTo({ fit: 'page' });
  onState({ status: 'shown', total: pdf.numPages, zooming: createZooming(view) });
  closing.addEventListener('abort', () => view.close());
}
