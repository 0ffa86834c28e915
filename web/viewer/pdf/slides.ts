/** Turns slides with the wheel and with one finger. */
import type { PdfView } from './pdf-view.ts';

/** Pixels. */
const swipeMin = 48;
const wheelMin = 60;

/** A trackpad sends events for a while after the fingers have left it. */
const wheelPauseMilliseconds = 400;

export function turnSlides(view: PdfView): void {
  turnByWheel(view);
  turnByFinger(view);
}

function turnByWheel(view: PdfView): void {
  let turned = 0;
  let lastTurn = 0;
  const onWheel = ({ deltaY, ctrlKey, metaKey, timeStamp }: WheelEvent) => {
    if (!view.slides || ctrlKey || metaKey || isScrollable(view.scroller)) return;
    if (timeStamp - lastTurn < wheelPauseMilliseconds) return;
    turned += deltaY;
    if (Math.abs(turned) < wheelMin) return;
    view.goTo(view.current + Math.sign(turned));
    turned = 0;
    lastTurn = timeStamp;
  };
  view.scroller.addEventListener('wheel', onWheel, { passive: true });
}

function turnByFinger(view: PdfView): void {
  const { scroller } = view;
  let start: { x: number; y: number } | undefined;
  const onStart = ({ touches }: TouchEvent) => {
    const [finger] = touches;
    start = finger && touches.length === 1 ? pointOf(finger) : undefined;
  };
  const onEnd = ({ changedTouches }: TouchEvent) => {
    const [finger] = changedTouches;
    if (!start || !finger || !view.slides || scroller.scrollWidth > scroller.clientWidth) return;
    const end = pointOf(finger);
    const [x, y] = [end.x - start.x, end.y - start.y];
    start = undefined;
    if (Math.abs(x) < swipeMin || Math.abs(x) < 2 * Math.abs(y)) return;
    view.goTo(view.current - Math.sign(x));
  };
  scroller.addEventListener('touchstart', onStart, { passive: true });
  scroller.addEventListener('touchend', onEnd, { passive: true });
}

function isScrollable({ scrollHeight, clientHeight }: HTMLElement): boolean {
  return scrollHeight > clientHeight;
}

function pointOf({ clientX: x, clientY: y }: Touch) {
  return { x, y };
}
