/** The time for each page: one cell per page, darker for a longer time. */
import { Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import classes from './heat-strip.module.css';

export type HeatCell = {
  readonly page: number;
  readonly value: number;
  /** The formatted value. */
  readonly text: string;
  /** Such as `5 views`. */
  readonly note?: string;
};

/** Draws a small picture of a page into a canvas. */
export type DrawPage = (page: number, canvas: HTMLCanvasElement) => Promise<void>;

export type HeatStripProps = {
  /** Names the strip for screen readers. */
  readonly label: string;
  readonly cells: readonly HeatCell[];
  /** Unset: no pictures. */
  readonly draw?: DrawPage | undefined;
};

export function HeatStrip({ label, cells, draw }: HeatStripProps) {
  const longest = cells.reduce((max, { value }) => Math.max(max, value), 0);
  return (
    // Keyboard users must be able to scroll it.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <section className={classes.strip} tabIndex={0} aria-label={label}>
      <ol>
        {cells.map((cell) => (
          <Cell key={cell.page} cell={cell} share={cell.value / (longest || 1)} draw={draw} />
        ))}
      </ol>
    </section>
  );
}

type CellProps = {
  readonly cell: HeatCell;
  /** Of the longest time: 0 to 1. */
  readonly share: number;
  readonly draw: DrawPage | undefined;
};

function Cell({ cell: { page, text, note }, share, draw }: CellProps) {
  return (
    <li>
      {draw === undefined ? null : <Picture page={page} draw={draw} />}
      <div className={classes.heat} aria-hidden>
        {share === 0 ? null : <div style={{ opacity: 0.15 + 0.85 * share }} />}
      </div>
      <Text size="xs" c="dimmed">
        Page {page}
      </Text>
      <Text size="xs" fw={500}>
        {text}
      </Text>
      {note === undefined ? null : (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </li>
  );
}

type PictureProps = { readonly page: number; readonly draw: DrawPage };

/** Drawn when it is visible. */
function Picture({ page, draw }: PictureProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      // The page number is next to it, so a missing picture is not reported.
      draw(page, element)
        .then(() => element.setAttribute('data-drawn', ''))
        .catch(() => {});
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [page, draw]);
  return <canvas ref={canvas} className={classes.picture} width={0} height={0} aria-hidden />;
}
