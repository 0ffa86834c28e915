/** Entry point of the viewer. The server writes its data into attributes of <main>. */
import { connectionProblem, serverReturns } from './loading/persistent-requests.ts';
import { showPdf } from './pdf/show-pdf.ts';
import { showPicture } from './picture/show-picture.ts';
import { createShell, type Shell, type ShowDocument } from './shell/shell.ts';

/** By the attribute `data-kind`. Other files are only downloaded. */
const kinds: Record<string, () => Promise<ShowDocument>> = {
  pdf: async () => showPdf,
  image: async () => showPicture,
  video: async () => (await import('./media/show-media.ts')).showMedia,
  audio: async () => (await import('./media/show-media.ts')).showMedia,
  markdown: async () => (await import('./markdown/show-markdown.ts')).showMarkdown,
  json: async () => (await import('./text/show-text.ts')).showText,
  text: async () => (await import('./text/show-text.ts')).showText,
  csv: async () => (await import('./table/show-table.ts')).showTable,
};

const main = document.querySelector<HTMLElement>('main#viewer');
if (main) void showDocument(createShell(main));

async function showDocument(shell: Shell): Promise<void> {
  const load = kinds[shell.main.dataset.kind ?? ''];
  if (!load) {
    shell.notices.endLoading();
    shell.time.read(0);
    return;
  }
  const show = await load().catch(() => undefined);
  if (show) return show(shell);
  const reload = () => location.reload();
  shell.notices.showProblem(connectionProblem(), reload);
  await serverReturns(shell.main.dataset.file ?? location.href).then(reload);
}
