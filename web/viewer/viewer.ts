/** Entry point of the page that shows a document: reads what the server put on <main>. */
import { openFile } from './file-source.ts';
import { Notices } from './notices.ts';
import { PageList } from './page-list.ts';
import { openPdf, startPdfjs } from './pdf.ts';
import { Toolbar } from './toolbar.ts';
import { VisibleTime } from './visible-time.ts';

async function showPdf(main: HTMLElement, file: string): Promise<void> {
  const notices = new Notices(main);
  const toolbar = new Toolbar(document.querySelector('header'));
  notices.loading();
  const engine = startPdfjs();
  const source = await openFile(file, Number(main.dataset.size), {
    onProgress: (share) => notices.loading(share),
    onProblem: (problem, retry) => {
      if (!retry) toolbar.close();
      notices.problem(problem, retry);
    },
    onRecovered: () => notices.clear(),
  });
  const outcome = await openPdf(engine, source, (again) => notices.askPassword(again));
  if (typeof outcome === 'string') {
    notices.problem(outcome, outcome === 'offline' ? () => location.reload() : undefined);
    return;
  }
  const { pdfjs, pdf, firstPage } = outcome;
  const pages = new PageList({
    scroller: main,
    pdfjs,
    pdf,
    firstPage,
    onPage(number) {
      toolbar.page(number, pdf.numPages);
      time.read(number);
    },
    onDrawn: () => notices.loaded(pdf.numPages),
  });
  toolbar.connect((steps) => pages.zoomBy(steps));
  scrollByKeys(main);
}

/** The keys that scroll act on what has the focus, which at first is nothing. */
function scrollByKeys(scroller: HTMLElement): void {
  scroller.tabIndex = 0;
  document.addEventListener('keydown', ({ key }) => {
    const nothing = document.activeElement === document.body;
    if (nothing && key !== 'Tab') scroller.focus({ preventScroll: true });
  });
}

const main = document.querySelector<HTMLElement>('main#viewer');
const time = new VisibleTime(main?.dataset.view ?? '');
if (main?.dataset.kind === 'pdf' && main.dataset.file) {
  void showPdf(main, main.dataset.file);
} else {
  time.read(main?.dataset.kind === 'image' ? 1 : 0);
}
