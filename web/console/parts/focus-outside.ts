import { useEffect, useRef } from 'react';

/**
 * For a dialog that opens as another one closes, and so cannot find out by itself from where the
 * user came. What this returns takes the focus there or, where that is gone, to the page's heading.
 */
export function useFocusOutside(): () => void {
  const last = useRef<HTMLElement>(null);
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      const isOutside = target instanceof HTMLElement && target.closest('[role=dialog]') === null;
      if (isOutside) last.current = target;
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, []);
  return () => {
    const { current } = last;
    const place = current?.isConnected ? current : document.querySelector('h1');
    place?.focus({ preventScroll: true });
  };
}
