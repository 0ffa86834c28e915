import { type RefObject, useEffect, useRef } from 'react';

/** The browser itself takes its user to the first page. */
let isFirst = true;

/** Names the window, and takes whoever hears the page to the page that they have gone to. */
export function useScreenHeading(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus();
    isFirst = false;
  }, []);
  useEffect(() => {
    document.title = `${title} · Latchkey`;
  }, [title]);
  return heading;
}
