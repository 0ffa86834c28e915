import { openFile } from '../loading/file-source.ts';
import { type LoadProblem, serverReturns } from '../loading/persistent-requests.ts';
import { setFace } from '../shell/buttons.ts';
import { FindBar } from '../shell/find-bar.ts';
import { addFullscreen } from '../shell/fullscreen.ts';
import { zoomByGestures } from '../shell/gestures.ts';
import { hideBarsWhileReading } from '../shell/hiding-bars.ts';
import { listenToKeys } from '../shell/keyboard.ts';
import type { Shell } from '../shell/shell.ts';
import { createZooming } from '../shell/zoom.ts';
import { searchPdf } from './document-search.ts';
import { type OpenPdf, openPdf, startPdfjs } from './open-pdf.ts';
import { pageFromAddress, pushPageAddress, rememberPage, startPage } from './page-address.ts';
import { PdfView } from './pdf-view.ts';
import { offerPrinting } from './printing.ts';
import { SidePanel } from './side-panel.ts';
import { turnSlides } from './slides.ts';

export async function showPdf(shell: Shell): Promise<void> {
  const { main, toolbar, notices } = shell;
  const { file = '', size } = main.dataset;
  const onProblem = (problem: LoadProblem, retry?: () => void) => {
    if (!retry && problem !== 'updated') toolbar.close();
    notices.showProblem(problem, retry);
  };
  notices.showLoading();
  const engine = startPdfjs();
  const source = await openFile(file, Number(size), {
    onProgress: (share) => notices.showLoading(share),
    onProblem,
    onRecovered: () => notices.clear(),
  });
  const outcome = await openPdf(engine, source, (again) => notices.askPassword(again));
  if (typeof outcome !== 'string') {
    const view = showPages(shell, outcome);
    shell.ended.addEventListener('abort', () => {
      view.close();
      engine.close();
    });
    return;
  }
  const reload = () => location.reload();
  notices.showProblem(outcome, outcome === 'busy' ? reload : undefined);
  if (outcome === 'busy') await serverReturns(file).then(reload);
}

function showPages(shell: Shell, { pdfjs, pdf }: OpenPdf): PdfView {
  const { main, toolbar, notices, time, shortcuts } = shell;
  const total = pdf.numPages;
  /** Whether a page was drawn: waiting for it is not reading. */
  let isShown = false;
  const view: PdfView = new PdfView({
    parent: main,
    pdfjs,
    pdf,
    startPage: startPage(),
    watermark: main.dataset.watermark,
    onPage(number) {
      toolbar.showPage(number);
      panel.showPage(number);
      rememberPage(number);
      if (isShown) time.read(number);
    },
    onScale: (target) => toolbar.showZoom(target),
    onDrawn() {
      if (isShown) return;
      isShown = true;
      notices.showLoaded(total === 1 ? '1 page' : `${total} pages`);
      time.read(view.current);
    },
    onJump: pushPageAddress,
  });
  const { scroller } = view;
  scroller.role = 'group';
  scroller.ariaLabel = 'Pages';
  const panel = new SidePanel(view, pdf, main, toolbar);
  new FindBar(searchPdf(pdfjs, view), shell);
  addViewTools(view, shell);
  addFullscreen(shell);
  const isAllowed = main.dataset.download !== undefined;
  offerPrinting({ pdf, scroller, notices, toolbar, isAllowed });
  addEventListener('hashchange', () => view.goTo(pageFromAddress()));
  const zooming = createZooming(view);
  toolbar.connect(zooming);
  toolbar.connectPages(total, (page) => view.goTo(page));
  zoomByGestures(scroller, view);
  listenToKeys({ scroller, zooming, pager: view, shortcuts });
  if (total > 1) shortcuts.add('G', 'Go to a page', () => toolbar.focusPageField());
  turnSlides(view);
  hideBarsWhileReading(scroller);
  return view;
}

/** Buttons of the bar that change how the pages are shown. */
function addViewTools(view: PdfView, { toolbar, shortcuts }: Shell): void {
  toolbar.addTool('rotate', 'Rotate', () => view.rotate());
  shortcuts.add('R', 'Rotate', () => view.rotate());
  if (view.total === 1) return;
  const modes = toolbar.addTool('slides', 'One page at a time', () => {
    view.slides = !view.slides;
  });
  const show = () =>
    view.slides
      ? setFace(modes, 'column', 'All pages in a column')
      : setFace(modes, 'slides', 'One page at a time');
  view.eventBus.on('scrollmodechanged', show);
  show();
}
