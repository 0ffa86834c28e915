/** On a phone, the bars hide while the reader scrolls down, and return on a tap or a scroll up. */

const small = matchMedia('(max-width: 600px), (max-height: 480px)');

/** Pixels; shorter movements are not intended. */
const movementMin = 12;

/** The document still moves for a while after the finger has left it. */
const momentumMilliseconds = 1500;

export function hideBarsWhileReading(scroller: HTMLElement): void {
  const { classList } = document.body;
  const hide = (isHidden: boolean) => classList.toggle('reading', isHidden && small.matches);
  let top = scroller.scrollTop;
  let lastMove = -Infinity;
  for (const type of ['touchmove', 'wheel']) {
    scroller.addEventListener(type, ({ timeStamp }) => (lastMove = timeStamp), { passive: true });
  }
  const onScroll = ({ timeStamp }: Event) => {
    // A jump, such as to a match, is not reading.
    if (timeStamp - lastMove > momentumMilliseconds) top = scroller.scrollTop;
    const moved = scroller.scrollTop - top;
    if (scroller.scrollTop <= 0) hide(false);
    else if (Math.abs(moved) >= movementMin) hide(moved > 0);
    if (Math.abs(moved) >= movementMin) top = scroller.scrollTop;
  };
  scroller.addEventListener('scroll', onScroll, { passive: true });
  scroller.addEventListener('click', ({ target }) => {
    const isControl = target instanceof Element && target.closest('a, button, input');
    if (!isControl && !getSelection()?.toString()) hide(!classList.contains('reading'));
  });
  // A control with the focus is visible.
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element && target.closest('header')) hide(false);
  });
  small.addEventListener('change', () => hide(false));
}
