import { useEffect, useRef } from 'react';

/**
 * A loading button is disabled and loses the focus. Call the returned function before the work
 * starts: when it ends, the focus returns, unless the user has moved it.
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
