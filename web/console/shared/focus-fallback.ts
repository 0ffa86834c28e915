/** Where the focus is to be once what had it is gone: a dialog, or a row that was deleted. */
import { useEffect } from 'react';

/** What had the focus last, and what had it last outside of every dialog. */
let last: Element | undefined;
let lastOutside: HTMLElement | undefined;

/** Takes the focus to where the user was before the dialogs, or else to the page's heading. */
export function focusBehindDialogs(): void {
  const place = lastOutside?.isConnected ? lastOutside : document.querySelector('h1');
  place?.focus({ preventScroll: true });
}

/**
 * Lets nobody fall out of the page: where what has the focus is taken away, the heading gets it;
 * and a button that could not have it while it was at work has it again.
 */
export function useFocusFallback(): void {
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return;
      last = target;
      if (target.closest('[role=dialog]') === null) lastOutside = target;
    };
    const keep = (changes: readonly MutationRecord[]) => {
      if (document.activeElement !== null && document.activeElement !== document.body) return;
      if (lastOutside !== undefined && lastOutside === last && !last.isConnected)
        focusBehindDialogs();
      const isAble = changes.some(({ type, target }) => type === 'attributes' && target === last);
      if (isAble && last instanceof HTMLElement) last.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(keep);
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributeFilter: ['disabled'],
    });
    document.addEventListener('focusin', note);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', note);
    };
  }, []);
}
