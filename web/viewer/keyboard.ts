/**
 * The keys, while the document has the focus, or nothing has. Elsewhere, and for all other keys,
 * the browser does what it always does.
 */
import type { Zooming } from './zoom.ts';

/** What turns pages; a picture has none. */
export interface Pager {
  readonly current: number;
  goTo(page: number): void;
}

export interface KeyOptions {
  readonly scroller: HTMLElement;
  readonly zooming: Zooming;
  readonly pager?: Pager;
}

const zoomKeys: Record<string, keyof Zooming> = { '+': 'by', '=': 'by', '-': 'by', '0': 'reset' };

const pageSteps: Record<string, 1 | -1> = { ArrowLeft: -1, ArrowRight: 1 };

export function listenToKeys({ scroller, zooming, pager }: KeyOptions): void {
  scroller.tabIndex = 0;
  document.addEventListener('keydown', (event) => {
    const { activeElement } = document;
    if (activeElement === document.body) {
      // The browser's own scrolling acts on what has the focus.
      if (event.key !== 'Tab') scroller.focus({ preventScroll: true });
    } else if (!scroller.contains(activeElement)) return;
    if (act(event)) event.preventDefault();
  });

  function act({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
    if (altKey) return false;
    const zoom = zoomKeys[key];
    if (zoom === 'reset') zooming.reset();
    else if (zoom) zooming.by(key === '-' ? -1 : 1);
    if (zoom) return true;
    const step = pageSteps[key];
    if (!step || ctrlKey || metaKey || shiftKey || !pager) return false;
    // A page that is wider than the window is read sidewards first.
    if (scroller.scrollWidth > scroller.clientWidth) return false;
    pager.goTo(pager.current + step);
    return true;
  }
}
