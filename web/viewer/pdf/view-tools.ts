/** Buttons of the bar that change how the pages are shown. */
import { setFace } from '../shell/buttons.ts';
import type { Shell } from '../shell/shell.ts';
import type { PdfView } from './pdf-view.ts';

export function addViewTools(view: PdfView, { toolbar, shortcuts }: Shell): void {
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
