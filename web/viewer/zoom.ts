/** How large the reader wants it: fitted to the window, or at a scale. */

/** `auto` fits the width, but nothing grows beyond a comfortable size nor out of the window. */
export type Fit = 'auto' | 'width' | 'page';

/** `scale`: 1 is the actual size, on paper or in pixels. */
export type Zoom = { readonly fit: Fit } | { readonly scale: number };

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** CSS pixels from the upper left corner of what is visible. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** What can be zoomed: the pages of a PDF, or a picture. */
export interface Zoomable {
  /** Grows and shrinks within the part of the page that scrolls. */
  readonly content: HTMLElement;
  /** Of what is being read. */
  readonly scale: number;
  /** The scale at which what is being read would be seen whole. */
  readonly wholeScale: number;
  /** What lies at `from` comes to lie at `to`; without them, the reader's place stays. */
  zoomTo(zoom: Zoom, from?: Point, to?: Point): void;
}

const scales = [0.1, 0.25, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5];
export const scaleMin = Math.min(...scales);
export const scaleMax = Math.max(...scales);

/** A step from a fitted scale to the next round one must be large enough to be seen. */
const stepMin = 1.08;

export function withinLimits(scale: number): number {
  return Math.min(scaleMax, Math.max(scaleMin, scale));
}

/** The next round scale in that direction. */
function nextScale(scale: number, direction: 1 | -1): number {
  const next =
    direction > 0
      ? scales.find((one) => one >= scale * stepMin)
      : scales.findLast((one) => one <= scale / stepMin);
  return next ?? withinLimits(direction > 0 ? scaleMax : scaleMin);
}

/** The whole, or the width where the whole is what one sees. */
export function otherFit({ scale, wholeScale }: Zoomable): 'width' | 'page' {
  return Math.abs(scale / wholeScale - 1) < 0.01 ? 'width' : 'page';
}

/** What the buttons, the keys and the fingers may ask for. */
export interface Zooming {
  by(direction: 1 | -1): void;
  /** Back to the size at which the document was opened. */
  reset(): void;
  toggleFit(): void;
}

export function zoomingOf(target: Zoomable): Zooming {
  return {
    by: (direction) => target.zoomTo({ scale: nextScale(target.scale, direction) }),
    reset: () => target.zoomTo({ fit: 'auto' }),
    toggleFit: () => target.zoomTo({ fit: otherFit(target) }),
  };
}

/** CSS pixels that are there for `content`, without its padding. */
export function roomIn(scroller: HTMLElement, content: HTMLElement): Size {
  const style = getComputedStyle(content);
  const [left, right, top, bottom] = [
    style.paddingLeft,
    style.paddingRight,
    style.paddingTop,
    style.paddingBottom,
  ].map(Number.parseFloat);
  return {
    width: scroller.clientWidth - (left ?? 0) - (right ?? 0),
    height: scroller.clientHeight - (top ?? 0) - (bottom ?? 0),
  };
}
