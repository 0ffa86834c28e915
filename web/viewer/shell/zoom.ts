/** Zoom levels: fitted to the window or at a fixed scale. */

/** `auto` fits the width, up to a comfortable size and the size of the window. */
export type Fit = 'auto' | 'width' | 'page';

/** `scale`: 1 is the actual size, on paper or in pixels. */
export type Zoom = { readonly fit: Fit } | { readonly scale: number };

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** CSS pixels from the upper left corner of the viewport. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Zoomable {
  readonly content: HTMLElement;
  readonly scale: number;
  readonly wholeScale: number;
  /** Moves the point at `from` to `to`; without them, keeps the reading position. */
  zoomTo(zoom: Zoom, from?: Point, to?: Point): void;
}

const scales = [0.1, 0.25, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5];
export const scaleMin = Math.min(...scales);
export const scaleMax = Math.max(...scales);

/** A step from a fitted scale to the next round one must be visible. */
const stepMin = 1.08;

export function clampScale(scale: number): number {
  return Math.min(scaleMax, Math.max(scaleMin, scale));
}

function nextScale(scale: number, direction: 1 | -1): number {
  const next =
    direction > 0
      ? scales.find((step) => step >= scale * stepMin)
      : scales.findLast((step) => step <= scale / stepMin);
  return next ?? clampScale(direction > 0 ? scaleMax : scaleMin);
}

/** `width` if the whole page is visible, else `page`. */
export function alternativeFit({ scale, wholeScale }: Zoomable): 'width' | 'page' {
  return Math.abs(scale / wholeScale - 1) < 0.01 ? 'width' : 'page';
}

export interface Zooming {
  by(direction: 1 | -1): void;
  reset(): void;
  toggleFit(): void;
}

export function createZooming(target: Zoomable): Zooming {
  return {
    by: (direction) => target.zoomTo({ scale: nextScale(target.scale, direction) }),
    reset: () => target.zoomTo({ fit: 'auto' }),
    toggleFit: () => target.zoomTo({ fit: alternativeFit(target) }),
  };
}

/** The space for `content` in CSS pixels, without its padding. */
export function availableSize(scroller: HTMLElement, content: HTMLElement): Size {
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
