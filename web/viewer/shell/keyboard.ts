/** Keyboard shortcuts. They work if the focus is on the document or on no element. */
import type { Shortcuts } from './shortcuts.ts';
import type { Zooming } from './zoom.ts';

export interface Pager {
  readonly current: number;
  readonly total: number;
  readonly slides: boolean;
  goTo(page: number): void;
}

export interface KeyOptions {
  readonly scroller: HTMLElement;
  readonly zooming: Zooming;
  readonly pager?: Pager;
  readonly shortcuts: Shortcuts;
}

const zoomKeys: Record<string, keyof Zooming> = { '+': 'by', '=': 'by', '-': 'by', '0': 'reset' };

const pageSteps: Record<string, 1 | -1> = { ArrowLeft: -1, ArrowRight: 1 };

const slideSteps: Record<string, number> = {
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: -1,
  PageDown: 1,
  ' ': 1,
  Home: -Infinity,
  End: Infinity,
};

export function listenToKeys({ scroller, zooming, pager, shortcuts }: KeyOptions): void {
  if (pager && pager.total > 1) shortcuts.describe('← →', 'Previous or next page');
  shortcuts.describe('+ −', 'Zoom in or out');
  shortcuts.describe('0', 'Reset the zoom');
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
    if (ctrlKey || metaKey || !pager) return false;
    const step = stepOf(key, shiftKey, pager);
    if (step === undefined) return false;
    pager.goTo(Math.min(pager.total, Math.max(1, pager.current + step)));
    return true;
  }

  function stepOf(key: string, shiftKey: boolean, { slides }: Pager): number | undefined {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = scroller;
    // On a page larger than the window, the keys scroll.
    if (pageSteps[key] !== undefined) {
      return shiftKey || scrollWidth > clientWidth ? undefined : pageSteps[key];
    }
    if (!slides || scrollHeight > clientHeight) return undefined;
    return key === ' ' && shiftKey ? -1 : slideSteps[key];
  }
}
