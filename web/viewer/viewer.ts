/** Entry point of the viewer. The server writes its data into attributes of <main>. */
import { showPdf } from './pdf/show-pdf.ts';
import { showPicture } from './picture/show-picture.ts';
import { createShell, type ShowDocument } from './shell/shell.ts';

/** By the attribute `data-kind`. Other files are only downloaded. */
const kinds: Record<string, ShowDocument> = {
  pdf: showPdf,
  image: showPicture,
};

const main = document.querySelector<HTMLElement>('main#viewer');
if (main) {
  const shell = createShell(main);
  const show = kinds[main.dataset.kind ?? ''];
  if (show) void show(shell);
  else shell.time.read(0);
}
