/** Shows a PDF. */
import { openFile } from '../loading/file-source.ts';
import type { LoadProblem } from '../loading/persistent-requests.ts';
import { zoomByGestures } from '../shell/gestures.ts';
import { listenToKeys } from '../shell/keyboard.ts';
import type { Shell } from '../shell/shell.ts';
import { createZooming } from '../shell/zoom.ts';
import { openPdf, startPdfjs } from './open-pdf.ts';
import { pageFromAddress, pushPageAddress, rememberPage } from './page-address.ts';
import { PdfPageList } from './pdf-page-list.ts';

export async function showPdf({ main, toolbar, notices, time }: Shell): Promise<void> {
  const { file = '' } = main.dataset;
  const onProblem = (problem: LoadProblem, retry?: () => void) => {
    if (!retry) toolbar.close();
    notices.showProblem(problem, retry);
  };
  notices.showLoading();
  const engine = startPdfjs();
  const source = await openFile(file, Number(main.dataset.size), {
    onProgress: (share) => notices.showLoading(share),
    onProblem,
    onRecovered: () => notices.clear(),
  });
  const outcome = await openPdf(engine, source, (again) => notices.askPassword(again));
  if (typeof outcome === 'string') {
    notices.showProblem(outcome, outcome === 'offline' ? () => location.reload() : undefined);
    return;
  }
  const { pdfjs, pdf, firstPage } = outcome;
  const total = pdf.numPages;
  const start = pageFromAddress();
  const pages = new PdfPageList({
    scroller: main,
    pdfjs,
    pdf,
    firstPage,
    onPage(number) {
      toolbar.showPage(number);
      rememberPage(number);
      time.read(number);
    },
    onScale: (target) => toolbar.showZoom(target),
    // Changes the URL, so that the back button returns to the link.
    onLink: pushPageAddress,
    onDrawn: () => notices.showLoaded(total === 1 ? '1 page' : `${total} pages`),
  });
  const goTo = (page: number) => pages.goTo(page);
  goTo(start);
  addEventListener('hashchange', () => goTo(pageFromAddress()));
  const zooming = createZooming(pages);
  toolbar.connect(zooming);
  toolbar.connectPages(total, goTo);
  zoomByGestures(main, pages);
  listenToKeys({ scroller: main, zooming, pager: pages });
}
