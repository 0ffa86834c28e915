/** A point of an element, to be held in place on the screen while the element changes its size. */
import type { Point } from './zoom.ts';

export class ScrollAnchor {
  readonly #x: number;
  readonly #y: number;

  /** `element` is placed relative to `scroller`; `at` need not lie on it. */
  constructor(
    private readonly scroller: HTMLElement,
    private readonly element: HTMLElement,
    private readonly at: Point,
  ) {
    this.#x = (scroller.scrollLeft + at.x - element.offsetLeft) / element.offsetWidth;
    this.#y = (scroller.scrollTop + at.y - element.offsetTop) / element.offsetHeight;
  }

  /** Scrolls so that the point lies there. */
  hold({ x, y }: Point = this.at): void {
    const { scroller, element } = this;
    scroller.scrollLeft = element.offsetLeft + this.#x * element.offsetWidth - x;
    scroller.scrollTop = element.offsetTop + this.#y * element.offsetHeight - y;
  }
}
