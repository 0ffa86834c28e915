import { type RefObject, useEffect, useRef } from 'react';

/** On the first screen, the browser sets the focus itself. */
let isFirst = true;

/**
 * Sets the document title and focuses the heading, so that screen readers announce the screen. The
 * focus stays in a dialog that the user opened while the screen was loading.
 */
export function useScreenHeading(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst && !hasFocusInDialog()) heading.current?.focus();
    isFirst = false;
  }, []);
  useEffect(() => {
    document.title = `${title} · Latchkey`;
  }, [title]);
  return heading;
}

const hasFocusInDialog = () => document.activeElement?.closest('[role=dialog]') != null;
