/** Links to the parts of a screen, so that each has an address, and Back and a reload work. */
import { createLink } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react';
import classes from './tabs.module.css';

type TabsProps = {
  /** Names the tabs for screen readers. */
  readonly label: string;
  /** `TabLink`s. */
  readonly children: ReactNode;
};

export function Tabs({ label, children }: TabsProps) {
  const strip = useRef<HTMLElement>(null);
  // On a narrow phone, the last tabs begin outside of the strip.
  useEffect(() => {
    const current = strip.current?.querySelector('[aria-current=page]');
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, []);
  return (
    <nav ref={strip} aria-label={label} className={classes.tabs}>
      {children}
    </nav>
  );
}

/** The router sets `aria-current` on the link to the shown part. */
export const TabLink = createLink((props: ComponentProps<'a'>) => (
  <a {...props} className={classes.tab} />
));
