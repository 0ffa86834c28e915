/** Zooms at the pointer: with Ctrl or ⌘ and the wheel, a trackpad pinch, or two fingers. */
import { clampScale, type Point, type Zoomable } from './zoom.ts';

/** A mouse wheel step of 100 pixels zooms by about a fifth; trackpads send smaller steps. */
const zoomPerPixel = 0.002;
const pixelsPerLine = 20;

export function zoomByGestures(scroller: HTMLElement, target: Zoomable): void {
  zoomByWheel(scroller, target);
  zoomByFingers(scroller, target);
}

function zoomByWheel(scroller: HTMLElement, target: Zoomable): void {
  let turned = 0;
  let at: Point = { x: 0, y: 0 };
  const onWheel = (event: WheelEvent) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    if (turned === 0) {
      requestAnimationFrame(() => {
        target.zoomTo({ scale: clampScale(target.scale * Math.exp(turned)) }, at, at);
        turned = 0;
      });
    }
    const pixels = event.deltaMode === 0 ? event.deltaY : event.deltaY * pixelsPerLine;
    at = pointOn(scroller, event);
    turned -= pixels * zoomPerPixel || Number.EPSILON;
  };
  scroller.addEventListener('wheel', onWheel, { passive: false });
}

interface Pinch {
  readonly from: Point;
  readonly distance: number;
  readonly scale: number;
  readonly scrolled: Point;
  to: Point;
  ratio: number;
}

/** Scales the content with CSS until the fingers lift, which is fast on a phone. */
function zoomByFingers(scroller: HTMLElement, target: Zoomable): void {
  const { style } = target.content;
  let pinch: Pinch | undefined;
  const start = ({ touches }: TouchEvent) => {
    if (pinch || touches.length !== 2) return;
    const { middle: from, distance } = measureFingers(scroller, touches);
    const { scale } = target;
    const scrolled = { x: scroller.scrollLeft, y: scroller.scrollTop };
    pinch = { from, to: from, distance: Math.max(1, distance), scale, scrolled, ratio: 1 };
    style.transformOrigin = `${from.x + scrolled.x}px ${from.y + scrolled.y}px`;
  };
  const move = (event: TouchEvent) => {
    if (!pinch || event.touches.length !== 2) return;
    event.preventDefault();
    const { middle, distance } = measureFingers(scroller, event.touches);
    pinch.ratio = clampScale((pinch.scale * distance) / pinch.distance) / pinch.scale;
    pinch.to = middle;
    const x = middle.x - pinch.from.x + scroller.scrollLeft - pinch.scrolled.x;
    const y = middle.y - pinch.from.y + scroller.scrollTop - pinch.scrolled.y;
    style.transform = `translate(${x}px, ${y}px) scale(${pinch.ratio})`;
  };
  const end = () => {
    if (!pinch) return;
    const { scale, ratio, from, to, scrolled } = pinch;
    pinch = undefined;
    style.transform = '';
    style.transformOrigin = '';
    scroller.scrollTo(scrolled.x, scrolled.y);
    target.zoomTo({ scale: scale * ratio }, from, to);
  };
  scroller.addEventListener('touchstart', start, { passive: true });
  scroller.addEventListener('touchmove', move, { passive: false });
  for (const type of ['touchend', 'touchcancel']) scroller.addEventListener(type, end);
}

function measureFingers(scroller: HTMLElement, touches: TouchList) {
  const [one, other] = [...touches].map((touch) => pointOn(scroller, touch));
  if (!one || !other) return { middle: { x: 0, y: 0 }, distance: 0 };
  return {
    middle: { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 },
    distance: Math.hypot(one.x - other.x, one.y - other.y),
  };
}

function pointOn(scroller: HTMLElement, at: { clientX: number; clientY: number }): Point {
  const { left, top } = scroller.getBoundingClientRect();
  return { x: at.clientX - left, y: at.clientY - top };
}
