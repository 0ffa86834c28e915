import type { PDFDocumentProxy } from 'pdfjs-dist';
import { useEffect, useState } from 'react';
import { type Document, Preview } from '../../../../gen/latchkey/sharing/v1/document_pb.js';
import { viewerKindOf } from '../../../../src/base/http/viewer-kinds.ts';
import { openPdf, startPdfjs } from '../../../viewer/pdf/open-pdf.ts';
import { fitCanvas } from '../../../viewer/pdf/page-size.ts';
import type { DrawPage } from '../../readers/heat-strip.tsx';
import type { Session } from '../../session/session.ts';
import { useSignIn } from '../../session/session-context.tsx';
import { openSource } from './document-source.ts';

/**
 * Returns a function that draws small pictures of the pages. Undefined until they are loaded, if
 * the document has no pages, and if these need a password.
 */
export function usePagePictures(document: Document | undefined): DrawPage | undefined {
  const { session } = useSignIn();
  const [draw, setDraw] = useState<DrawPage>();
  // The bytes of a version never change.
  const key = document && `${document.id} ${document.version} ${document.preview}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the document
  useEffect(() => {
    if (document === undefined || !hasPages(document)) return undefined;
    const closing = new AbortController();
    void open(session, document, closing)
      // A function would be called as an update of the state.
      .then((opened) => closing.signal.aborted || setDraw(() => opened))
      // The page numbers stay, so missing pictures are not reported.
      .catch(() => {});
    return () => {
      closing.abort();
      setDraw(undefined);
    };
  }, [session, key]);
  return draw;
}

const hasPages = ({ preview, contentType }: Document) =>
  preview === Preview.READY || viewerKindOf(contentType) === 'pdf';

async function open(
  session: Session,
  document: Document,
  closing: AbortController,
): Promise<DrawPage | undefined> {
  const engine = startPdfjs();
  closing.signal.addEventListener('abort', () => engine.close());
  const source = await openSource(session, document, closing.signal, () => closing.abort());
  // No one is asked for a password.
  const outcome = await openPdf(engine, source, () => new Promise<string>(() => {}));
  return typeof outcome === 'string' ? undefined : createDrawPage(outcome.pdf);
}

/** CSS pixels. */
const width = 96;

/** Draws small pictures one after the other. */
function createDrawPage(pdf: PDFDocumentProxy): DrawPage {
  let last: Promise<unknown> = Promise.resolve();
  async function draw(number: number, canvas: HTMLCanvasElement): Promise<void> {
    if (!canvas.isConnected) return;
    const page = await pdf.getPage(number);
    const viewport = fitCanvas(canvas, page, { width, rotation: page.rotate });
    await page.render({ canvas, viewport }).promise;
  }
  return (number, canvas) => {
    const drawn = last.then(() => draw(number, canvas));
    last = drawn.catch(() => {});
    return drawn;
  };
}
