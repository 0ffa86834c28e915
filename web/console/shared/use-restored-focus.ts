import { useEffect, useRef } from 'react';

/**
 * A button that is at work cannot have the focus, which is lost with that. Call what this returns
 * when the work begins: once it is over, the focus is where it was, unless it has gone elsewhere.
 */
export function useRestoredFocus(isPending: boolean): () => void {
  const focused = useRef<Element | null>(null);
  useEffect(() => {
    if (isPending) return;
    const { current } = focused;
    focused.current = null;
    const isLost = document.activeElement === document.body || document.activeElement === null;
    if (isLost && current instanceof HTMLElement) current.focus();
  }, [isPending]);
  return () => {
    focused.current = document.activeElement;
  };
}
