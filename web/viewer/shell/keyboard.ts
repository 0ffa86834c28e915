/** Keyboard shortcuts. They work if the focus is on the document or on no element. */
import type { Zooming } from './zoom.ts';

/** Turns pages. Images have no pager. */
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
      // The browser scrolls only the focused element.
      if (event.key !== 'Tab') scroller.focus({ preventScroll: true });
    } else if (!scroller.contains(activeElement)) return;
    if (handleKey(event)) event.preventDefault();
  });

  function handleKey({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
    if (altKey) return false;
    const zoom = zoomKeys[key];
    if (zoom === 'reset') zooming.reset();
    else if (zoom) zooming.by(key === '-' ? -1 : 1);
    if (zoom) return true;
    const step = pageSteps[key];
    if (!step || ctrlKey || metaKey || shiftKey || !pager) return false;
    // On a page wider than the window, the arrow keys scroll.
    if (scroller.scrollWidth > scroller.clientWidth) return false;
    pager.goTo(pager.current + step);
    return true;
  }
}
