/** Lets the keys scroll the document at once, as if it were the whole page. */
export function scrollByKeys(scroller: HTMLElement): void {
  scroller.tabIndex = 0;
  document.addEventListener('keydown', ({ key }) => {
    // The browser scrolls only the focused element.
    if (document.activeElement !== document.body || key === 'Tab') return;
    scroller.focus({ preventScroll: true });
  });
}
