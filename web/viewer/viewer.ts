/** Entry point of the page that shows a document: reads what the server put on <main>. */
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
import { zoomingOf } from './zoom.ts';

async function showPdf(main: HTMLElement, file: string): Promise<void> {
  const notices = new Notices(main);
  const toolbar = new Toolbar(document.querySelector('header'));
  const onProblem = (problem: LoadProblem, retry?: () => void) => {
    if (!retry) toolbar.close();
    notices.problem(problem, retry);
  };
  notices.loading();
  const engine = startPdfjs();
  const source = await openFile(file, Number(main.dataset.size), {
    onProgress: (share) => notices.loading(share),
    onProblem,
    onRecovered: () => notices.clear(),
  });
  const outcome = await openPdf(engine, source, (again) => notices.askPassword(again));
  if (typeof outcome === 'string') {
    notices.problem(outcome, outcome === 'offline' ? () => location.reload() : undefined);
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
      toolbar.page(number);
      rememberPage(number);
      time.read(number);
    },
    onScale: (target) => toolbar.zoomed(target),
    // As by an address, so that the browser's way back leads back.
    onLink: pushPageAddress,
    onDrawn: () => notices.loaded(total === 1 ? '1 page' : `${total} pages`),
  });
  const goTo = (page: number) => pages.goTo(page);
  goTo(start);
  addEventListener('hashchange', () => goTo(pageFromAddress()));
  const zooming = zoomingOf(pages);
  toolbar.connect(zooming);
  toolbar.connectPages(total, goTo);
  zoomByGestures(main, pages);
  listenToKeys({ scroller: main, zooming, pager: pages });
}

async function showPicture(main: HTMLElement, image: HTMLImageElement): Promise<void> {
  const notices = new Notices(main);
  const toolbar = new Toolbar(document.querySelector('header'));
  notices.loading();
  const problem = await loadPicture(image);
  if (problem) {
    const mayHelp = problem === 'offline' || problem === 'busy';
    if (!mayHelp && problem !== 'broken') toolbar.close();
    image.remove();
    notices.problem(problem, mayHelp ? () => location.reload() : undefined);
    return;
  }
  const onScale = toolbar.zoomed.bind(toolbar);
  const picture = new Picture({ scroller: main, image, onScale });
  notices.loaded('1 picture');
  time.read(1);
  const zooming = zoomingOf(picture);
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
