/** Restores the focus when its element disappears, such as a dialog or a deleted row. */
import { useEffect } from 'react';

/** The last focused element, and the last one outside of all dialogs and menus. */
let last: Element | undefined;
let lastOutside: HTMLElement | undefined;

/** Moves the focus to the last element outside of all dialogs, or to the heading. */
export function focusBehindDialogs(): void {
  const place = lastOutside?.isConnected ? lastOutside : document.querySelector('h1');
  place?.focus({ preventScroll: true });
}

/**
 * Keeps the focus on the screen: if the focused element is removed, the heading gets the focus, and
 * a button that was disabled while loading gets it back.
 */
export function useFocusFallback(): void {
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return;
      last = target;
      if (target.closest('[role=dialog], [role=menu]') === null) lastOutside = target;
    };
    const keep = (changes: readonly MutationRecord[]) => {
      if (document.activeElement !== null && document.activeElement !== document.body) return;
      if (lastOutside !== undefined && lastOutside === last && !last.isConnected)
        focusBehindDialogs();
      const isEnabled = changes.some(
        ({ type, target }) => type === 'attributes' && target === last,
      );
      if (isEnabled && last instanceof HTMLElement) last.focus({ preventScroll: true });
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
