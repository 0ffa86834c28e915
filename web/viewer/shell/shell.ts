/** Shared by all kinds of documents: the bar, notices, and the reading time. */
import { Notices } from './notices.ts';
import { ReadingTime } from './reading-time.ts';
import { Shortcuts } from './shortcuts.ts';
import { Toolbar } from './toolbar.ts';

export interface Shell {
  readonly main: HTMLElement;
  readonly toolbar: Toolbar;
  readonly notices: Notices;
  readonly shortcuts: Shortcuts;
  /** Aborted when the reader has lost access, before the document is removed. */
  readonly ended: AbortSignal;
  /** A kind calls `time.read(page)` once the document is visible, and for each other page. */
  readonly time: ReadingTime;
}

export type ShowDocument = (shell: Shell) => Promise<void>;

export function createShell(main: HTMLElement): Shell {
  const toolbar = new Toolbar(document.querySelector('header'));
  const notices = new Notices(main);
  const shortcuts = new Shortcuts();
  const ending = new AbortController();
  const { kind, view = '', version = '', file, download } = main.dataset;
  const addresses = { report: view, file: kind === 'other' ? download : file };
  const time = new ReadingTime(addresses, version, {
    onLost(problem) {
      ending.abort();
      toolbar.close();
      notices.showProblem(problem);
    },
    onUpdated: () => notices.showProblem('updated'),
  });
  return { main, toolbar, notices, shortcuts, ended: ending.signal, time };
}
