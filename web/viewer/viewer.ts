/** Entry point of the viewer. The server writes its data into attributes of <main>. */
import { openFile } from './file-source.ts';
import { zoomByGestures } from './gestures.ts';
import { listenToKeys } from './keyboard.ts';
import { Notices } from './notices.ts';
import { openPdf, startPdfjs } from './open-pdf.ts';
import { pageFromAddress, pushPageAddress, rememberPage } from './page-address.ts';
import { PdfPageList } from './pdf-page-list.ts';
import type { LoadProblem } from './persistent-requests.ts';
import { loadPicture, Picture } from './picture.ts';
import { ReadingTime } from './reading-time.ts';
import { Toolbar } from './toolbar.ts';
import { createZooming } from './zoom.ts';

async function showPdf(main: HTMLElement, file: string): Promise<void> {
  const notices = new Notices(main);
  const toolbar = new Toolbar(document.querySelector('header'));
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

async function showPicture(main: HTMLElement, image: HTMLImageElement): Promise<void> {
  const notices = new Notices(main);
  const toolbar = new Toolbar(document.querySelector('header'));
  notices.showLoading();
  const problem = await loadPicture(image);
  if (problem) {
    const mayHelp = problem === 'offline' || problem === 'busy';
    if (!mayHelp && problem !== 'broken') toolbar.close();
    image.remove();
    notices.showProblem(problem, mayHelp ? () => location.reload() : undefined);
    return;
  }
  const onScale = toolbar.showZoom.bind(toolbar);
  const picture = new Picture({ scroller: main, image, onScale });
  notices.showLoaded('1 image');
  time.read(1);
  const zooming = createZooming(picture);
  toolbar.connect(zooming);
  zoomByGestures(main, picture);
  listenToKeys({ scroller: main, zooming });
}

const main = document.querySelector<HTMLElement>('main#viewer');
const image = main?.querySelector('img');
const time = new ReadingTime(main?.dataset.view ?? '');
if (main?.dataset.kind === 'pdf' && main.dataset.file) {
  void showPdf(main, main.dataset.file);
} else if (main && image) {
  void showPicture(main, image);
} else {
  time.read(0);
}
