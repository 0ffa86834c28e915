/** Keeps a point of an element at its place on the screen while the element is resized. */
import type { Point } from './zoom.ts';

export class ScrollAnchor {
  readonly #x: number;
  readonly #y: number;

  /** `scroller` is the offset parent of `element`; `at` may lie outside of the element. */
  constructor(
    private readonly scroller: HTMLElement,
    private readonly element: HTMLElement,
    private readonly at: Point,
  ) {
    this.#x = (scroller.scrollLeft + at.x - element.offsetLeft) / element.offsetWidth;
    this.#y = (scroller.scrollTop + at.y - element.offsetTop) / element.offsetHeight;
  }

  hold({ x, y }: Point = this.at): void {
    const { scroller, element } = this;
    scroller.scrollLeft = element.offsetLeft + this.#x * element.offsetWidth - x;
    scroller.scrollTop = element.offsetTop + this.#y * element.offsetHeight - y;
  }
}
